"""One transactional id: its producers, its coordinator with failover, and the partitions that it writes to (KIP-98).

What a coordinator decides and who is fenced, by producer epochs. Replication is left out: the log of the coordinator
loses nothing, and a data partition has one leader. `spec/kraft/options/transaction_log.py` has the former, and
`spec/kraft/options/transactions.py` the latter.

Read `state`, then `producer`, `coordinator` and `markers`, then `properties`; `transactions` puts them together, with
an epoch for each transaction (version 2 of KIP-890) and without (version 1). In `switches` one rule is missing at a
time.
"""
