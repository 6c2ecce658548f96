"""How fit a weight vector is: games against fixed opponents, within the population, in races."""
