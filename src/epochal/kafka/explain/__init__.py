"""What a word means: of the specifications, of Kafka, and of people who run it."""
