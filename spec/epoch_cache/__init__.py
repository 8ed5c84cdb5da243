"""The leader-epoch cache of one replica, which says where each leader epoch begins in its log (LeaderEpochFileCache).

The protocols of `spec/classic` and `spec/kraft` compute from the log what the cache would answer. Kafka's is state of
its own: it has entries without records, is written to a file, at once or later, and read from it after a failure. This
is one replica with its log, its cache and its file, in every order of what may happen to them: it leads and follows,
appends, truncates at either end, fails and starts again. What leaders answer to it may be anything.

Read `state`, `cache`, `log`, then `properties`; `switches` takes one rule away at a time.
"""
