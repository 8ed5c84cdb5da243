"""Contexts of Z3 whose terms may be given up while another thread solves in them."""

from __future__ import annotations

import z3


def new_context() -> z3.Context:
    """A context in which any thread may let go of terms.

    A solver runs in a thread of its own, while the thread that waits for it and the one that watches the budget collect
    garbage. Terms that are collected there give back their references in the middle of the solver's work, which Z3
    allows only where it has been told (Z3_enable_concurrent_dec_ref): else it hangs, or ends the process much later.
    """
    context = z3.Context()
    z3.z3core.Z3_enable_concurrent_dec_ref(context.ref())
    return context
