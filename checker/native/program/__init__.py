"""One model as LLVM functions: its steps, its properties, its representatives."""
