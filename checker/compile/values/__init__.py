"""Symbolic values: what the variables of a rule hold while it is read."""
