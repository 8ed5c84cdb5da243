"""A share group: `spec/share_groups`, driven on Kafka's SharePartition, share coordinator and group coordinator.

How a step is told to Kafka is in `steps`, what is compared in `compared`, which model stands beside a release in
`models`, and a run of it is played in `directed`.
"""
