"""A real cluster of Apache Kafka for tests: started, disturbed, recorded and stopped by Python.

Read in this order: `releases` (which Kafka, and its files), `configuration` (what a node is told), `process` (one Java
process), `node` and `cluster` (several that make a cluster), `client`, `history` and `tools` (what is asked of them),
`faults` and `proxy` (what happens to them and between them).

`make test-brokers` runs the tests beside these files that start brokers; the ordinary suite runs the others.
"""
