"""A reward's whole way: seed, reward table, play, replications, runs, regret."""
