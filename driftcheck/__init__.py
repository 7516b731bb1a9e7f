"""driftcheck: finds what of a consumer's code breaks on another version of a library."""

__version__ = "0.1.0"
