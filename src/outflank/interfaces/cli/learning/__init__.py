"""Commands that learn: `learn`, `resume`, `plot`, `reproduce`."""
