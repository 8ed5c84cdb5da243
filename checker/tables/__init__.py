"""A run as tables: its states decoded into columns, its levels and findings, written for other tools to read."""
