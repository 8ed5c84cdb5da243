"""Leader balancing: partitions go back to their preferred leaders, by the policy of each controller."""
