"""A counterexample in one HTML file: what happens, why it is wrong, and what else could have happened."""
