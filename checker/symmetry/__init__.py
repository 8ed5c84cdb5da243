"""Interchangeable identifiers: what renaming them does to states and rules, and one representative of each orbit."""
