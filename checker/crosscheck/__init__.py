"""Two semantics held against each other: what they disagree on, and the report of it."""
