"""Policies that are generated from decided guarantees, in the engines that read them."""
