"""Studies: policies × instances × objectives, everyone judged under everyone's objective."""
