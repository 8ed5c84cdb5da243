"""The findings of the gate in the formats that other programs read."""
