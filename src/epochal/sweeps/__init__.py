"""Sweeps: many searches, proofs and random walks, each a task of its own, and a table of what they say."""
