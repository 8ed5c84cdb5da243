"""How results become text, JSON and progress. Everything that is printed is laid out here."""
