"""References from the consumer to the provider."""

from driftcheck.uses.collect import collect
from driftcheck.uses.use import (
    AttributeUse,
    BoundUse,
    CallUse,
    ClassUse,
    CommandUse,
    EnvironmentUse,
    GroupUse,
    ImportUse,
    NamedCallUse,
    NamedMethodUse,
    NarrowedUse,
    PatchUse,
    RequirementUse,
    StoreUse,
    StringUse,
    Use,
    ValueUse,
)

__all__ = [
    "AttributeUse",
    "BoundUse",
    "CallUse",
    "ClassUse",
    "CommandUse",
    "EnvironmentUse",
    "GroupUse",
    "ImportUse",
    "NamedCallUse",
    "NamedMethodUse",
    "NarrowedUse",
    "PatchUse",
    "RequirementUse",
    "StoreUse",
    "StringUse",
    "Use",
    "ValueUse",
    "collect",
]
