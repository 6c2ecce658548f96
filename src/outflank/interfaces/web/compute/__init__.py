"""What visitors have computed, in processes of its own."""
