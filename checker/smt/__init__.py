"""Z3 as all rooms use it: the expression graph as terms, a question that Ctrl-C can end, and equivalence."""
