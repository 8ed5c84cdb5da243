"""Writing LLVM text, and making machine code of it."""
