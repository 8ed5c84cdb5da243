"""A specification read for every choice of its bounds at once: its rules as first-order terms."""
