"""Searching on Spark: for what outgrows one machine."""
