"""Whether what brokers left behind is a run of the specification."""
