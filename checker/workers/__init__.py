"""Many questions, each answered apart: in this process, in processes beside it, or on a Spark cluster."""
