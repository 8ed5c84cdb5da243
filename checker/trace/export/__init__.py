"""Traces as sequence diagrams, a story for JIRA and a graph."""
