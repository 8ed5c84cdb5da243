"""Mutants: a specification with one of its guards taken away, to see what each guard is for."""
