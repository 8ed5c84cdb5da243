"""What brokers leave behind: files of Kafka, read as they are and without a broker."""
