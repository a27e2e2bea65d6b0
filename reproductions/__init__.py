"""Published numbers next to ours: `make reproductions` renews docs/reproductions.md."""
