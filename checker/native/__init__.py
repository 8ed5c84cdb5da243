"""Expressions and search kernels as machine code, through LLVM."""
