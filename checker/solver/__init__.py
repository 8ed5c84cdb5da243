"""The same graph read by Z3: bit-vector terms, proof obligations and induction."""
