"""The catalogue of known bugs, searched, and the folder of counterexamples made of it."""
