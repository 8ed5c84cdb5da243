"""The intermediate form: expressions over the leaves of a state, and the layout of a state in words."""
