"""The search kernels as LLVM functions, for a given shape of search."""
