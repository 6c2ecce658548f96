"""What keeps one visitor from costing the others: rates, keys, sizes, queues, connections."""
