"""Budgets: counters of what may still go wrong, and which states dominate others by them."""
