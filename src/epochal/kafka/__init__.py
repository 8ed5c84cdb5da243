"""What is known of Kafka, searched: the catalogue of bugs, the gallery of counterexamples, the guarantees."""
