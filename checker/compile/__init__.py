"""From a protocol's source to an expression graph and a layout in 64-bit words."""
