"""Learning runs: settings and presets, the folder, the loop, resuming."""
