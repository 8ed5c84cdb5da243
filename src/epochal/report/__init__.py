"""Results as text for people and as JSON: what `print(result)` shows, and what `--format json` prints."""
