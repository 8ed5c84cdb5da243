"""Well-known examples of TLA+ in Epochal's language, with the state counts that TLC gives for the originals.

The originals are in github.com/tlaplus/Examples, whose manifests have the counts. Each file here tells the same
protocol in its own words, with a state for each of theirs and no other. Where the language wanted something else than
a translation, the file says so under "Otherwise than there".
"""
