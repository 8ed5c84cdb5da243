"""What is known to go wrong: every bug and design hole that the specifications show, in one form."""
