"""Beyond the papers: questions they raise and leave open."""
