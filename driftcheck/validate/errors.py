"""The one error of this room."""

from __future__ import annotations


class ValidateError(ValueError):
    """What was asked cannot be made a plan of; the message says why, in one line."""
