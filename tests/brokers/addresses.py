"""Who reaches whom at which address: names for nodes, ports that are free, and one loopback address for each link.

A node is told the others by name, `node-2`. Every JVM reads names from a file of its own (`-Djdk.net.hosts.file`), so a
proxy can stand between two nodes and no other: node 1 alone is told that `node-2` is at 127.1.0.2, where the proxy of
that link listens, on the same port. The addresses that Kafka advertises stay as they are.
"""

from __future__ import annotations

import random
import socket
from collections.abc import Iterable

LOOPBACK = "127.0.0.1"
BELOW_EPHEMERAL = range(12_000, 32_000)
"""Ports that the system gives to nobody who does not ask for them by number."""


def name_of(node: int) -> str:
    """The name by which other nodes know a node."""
    return f"node-{node}"


def link_address(source: int, target: int) -> str:
    """The loopback address that the proxy between two nodes listens on."""
    if not (0 < source < 255 and 0 < target < 255):
        raise ValueError(f"nodes {source} and {target}: a link has an address for node numbers from 1 to 254")
    return f"127.{source}.0.{target}"


def hosts_file(node: int, nodes: Iterable[int], proxied: Iterable[tuple[int, int]]) -> str:
    """What a node is told about where the others are; `proxied` are the links, source first, with a proxy on them."""
    links = set(proxied)
    lines = [f"{LOOPBACK} localhost {socket.gethostname()}"]
    for other in nodes:
        address = link_address(node, other) if (node, other) in links else LOOPBACK
        lines.append(f"{address} {name_of(other)}")
    return "".join(f"{line}\n" for line in lines)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, at no loopback address."""
    found: list[int] = []
    for port in random.SystemRandom().sample(BELOW_EPHEMERAL, len(BELOW_EPHEMERAL)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind(("0.0.0.0", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise OSError(f"no {count} ports are free between {BELOW_EPHEMERAL.start} and {BELOW_EPHEMERAL.stop}")
