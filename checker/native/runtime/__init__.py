"""What runs the kernels: worker threads, their tables and their memory."""
