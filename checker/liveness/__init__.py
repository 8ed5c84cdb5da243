"""What must happen in the end: promises (`leads_to`) judged over every state that a search has found."""
