"""Limits that keep one client from costing the others: rates, keys, sizes, queues, connections."""
