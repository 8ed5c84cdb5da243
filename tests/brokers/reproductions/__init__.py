"""The counterexamples that are played on real brokers, a file each."""

from __future__ import annotations

from tests.brokers.reproduction import Reproduction
from tests.brokers.reproductions import h1, h3, h14, h15, n1, n2, s10, s15, s20, s24, s25, s27, sg2, t1, t5, x1

REPRODUCTIONS: dict[str, Reproduction] = {
    one.called: one
    for one in (
        *(module.REPRODUCTION for module in (s25, s27, s24, s20, n2, n1, h3, s15, h1, s10, h15)),
        *h14.REPRODUCTIONS,
        *x1.REPRODUCTIONS,
        *t1.REPRODUCTIONS,
        *t5.REPRODUCTIONS,
        *sg2.REPRODUCTIONS,
    )
}
"""All of them by their name in the catalogue, and a word for the variant where there are several."""
