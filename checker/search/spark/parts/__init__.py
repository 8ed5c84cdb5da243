"""Liveness properties checked by the executors: part by part, in the order in which runs come to them."""
