"""The source of rules: found, checked against the language, rewritten."""
