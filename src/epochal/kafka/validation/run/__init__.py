"""Whether one run of the specification explains all that brokers and controllers have left of a partition."""
