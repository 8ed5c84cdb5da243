"""TLC beside Epochal: the same protocols within the same bounds, exported to TLA+ and searched by both."""
