"""The classic family: five generations of Kafka's data-plane replication (0.8 to 2.6) as one abstract model.

One partition, its replicas, and a controller whose LeaderAndIsr requests are never lost but may arrive arbitrarily
late. There are no crashes as such: the controller may drop any replica from the ISR and elect any member at any time,
which covers them. Read `state`, then `controller`, `leader`, `follower`, then `properties`; each variant is a small
file that says how it differs.
"""
