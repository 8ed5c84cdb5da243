"""How two specifications differ: the steps that one takes and the other does not, and why it does not."""
