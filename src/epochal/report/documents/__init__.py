"""What `--format json` prints and `to_dict()` gives, as types: one for each command. `epochal schema` publishes them.

A trace is an object in ITF, Apalache's format of traces. Seconds are of wall time unless a name says otherwise, and a
`source` is a file and a line, `spec/classic/controller.py:14`. A key that was renamed stands under both
names for one release (`epochal.former`).
"""
