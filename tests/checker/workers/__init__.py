"""Questions answered apart."""
