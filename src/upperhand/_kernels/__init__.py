"""The numerical core: plain functions over arrays that run compiled or interpreted alike."""
