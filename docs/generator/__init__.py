"""Pages that are made from the code: commands, the words of the language, the names of `epochal`, the catalogue.

`python -m docs.generator` writes them, `make docs` does so too, and tests/documents/test_generated.py says when one is
out of date.
"""
