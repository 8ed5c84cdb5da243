"""A transactional id and its coordinators: `spec/transactions`, driven on Kafka's TransactionCoordinator.

What a step is told to Kafka as is in `steps`, what is compared in `compared`, and a run of it is played in `directed`.
"""
