"""Diskless topics (KIP-1150, KIP-1163, KIP-1164), from the text of their proposals: no release has them.

Brokers put batches of many producers into one object of an object store, and then ask the Diskless coordinator to
commit it. The coordinator gives offsets, in a log of its own (`__diskless_metadata`). Any broker serves reads. Objects
that nothing names any more are deleted.

Read `state`, `coordinator`, `objects`, `reading`, then `properties`; `transactions` has what a producer's transactions
add, and `switches` takes one rule away at a time. docs/kafka/diskless.md says which sentence of the proposals each rule
is, and which of them no sentence is.
"""
