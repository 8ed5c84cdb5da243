"""The command line itself: its options, its errors, what every command shares."""
