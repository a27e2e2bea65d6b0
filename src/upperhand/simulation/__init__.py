"""A reward's whole way: seed, rewards, play, replications, runs, regret."""
