"""What a specification means, in Python: steps, properties and fairness."""
