"""The old way: a controller elected through ZooKeeper, and what it took to fence it (Kafka 2.1 to 3.x).

One partition. Its state lives in a znode that several hands write: the controller, a former controller that does not
know that it is one, and until 2.6 the leader. Brokers hear of it in LeaderAndIsr requests, which are lost, delayed,
repeated and reordered. Logs are reconciled and fetches fenced as in KIP-320, so that what breaks here is the
controller's doing.

Read `state`, then `controller`, `broker`, `partition`, then `properties`; `zookeeper` puts them together with the
leader that writes its own ISR, `alter_isr` lets it ask a controller (2.7 and later), and `switches` takes one fence
away at a time.
"""
