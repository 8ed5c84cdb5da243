"""The metadata quorum in lockstep: `spec/quorum` beside Kafka's KafkaRaftClient.

`steps` puts a step to Kafka, `compared` has both states in one form, `driven` takes one run on both sides; `runs` draws
runs at random, and `directed` plays a trace. `models` says which model is that of a release.
"""
