"""The gate: what a change to a specification changes in its behaviour, compared with a baseline."""
