"""References from the consumer to the provider."""

from driftcheck.uses.collect import collect
from driftcheck.uses.use import AttributeUse, CallUse, ImportUse, Use

__all__ = ["AttributeUse", "CallUse", "ImportUse", "Use", "collect"]
