"""The driver that runs a user's own tests."""
