"""A stage of the work, as whoever waits for it is told."""

from __future__ import annotations


class Stage(str):
    """The name of a stage, with the share of it that is done (0 to 1; None where nobody knows)."""

    share: float | None

    def __new__(cls, name: str, share: float | None = None) -> Stage:
        stage = super().__new__(cls, name)
        stage.share = share
        return stage
