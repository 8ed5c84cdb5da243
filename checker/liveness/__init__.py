"""What must happen in the end: liveness properties (`leads_to`) checked over every state that a search has found."""
