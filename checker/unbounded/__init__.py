"""Proofs for every choice of the bounds: the obligations of an induction over first-order terms, and Z3's answers."""
