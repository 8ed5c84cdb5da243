"""Dominance: the budgets that are found, and searches with it compared with those of every state."""
