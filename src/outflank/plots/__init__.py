"""Pictures from evaluators, records and logs, for a screen or a paper."""
