"""Scripts that run inside the environment under test, each by its path and on its own."""
