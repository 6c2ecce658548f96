"""Players: position -> move."""
