"""How the provider's calls of a method meet the consumer's version of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from driftcheck.infer.callsites import Site, arguments_of, own_receiver
from driftcheck.infer.reaching import Reach, expects_type_error
from driftcheck.infer.signatures import Arguments, Signature, bind

MismatchKind = Literal[
    "unknown-keyword", "missing-argument", "too-many-positional", "multiple-values", "swapped"
]


@dataclass(frozen=True)
class Mismatch:
    """A call that the original takes and the consumer's version refuses or reads otherwise (``swapped``)."""

    kind: MismatchKind
    names: tuple[str, ...]
    count: int
    site: Site
    reach: Reach


def mismatches(
    sites: Callable[[], Iterable[Site]],
    original: Signature,
    replacement: Signature,
    reach: Callable[[Site], Reach | None],
) -> Iterator[Mismatch]:
    """The sites that bind to ``original`` and not to ``replacement``, those only that reach it.

    ``sites`` is asked only where some call could tell the two apart.
    """
    if covers(original, replacement):
        return
    for site in sites():
        if site.call is None:
            continue
        arguments = arguments_of(site.call)
        problems = bind(replacement, arguments)
        swapped = swaps(original, replacement, arguments)
        if not problems and not swapped:
            continue
        if bind(original, arguments) or expects_type_error(site):
            continue
        if not _named_by(original, arguments) and own_receiver(site) is None:
            continue  # a base that takes anything says nothing of what its other subclasses are called with
        how = reach(site)
        if how is None:
            continue
        for problem in problems:
            yield Mismatch(problem.kind, problem.names, problem.count, site, how)
        if swapped and not problems:
            yield Mismatch("swapped", swapped, 0, site, how)


def _named_by(original: Signature, arguments: Arguments) -> bool:
    """Whether a call binds to parameters that the original names, not to its ``*args`` or ``**kwargs``."""
    if len(arguments.positional) > len(original.positional()):
        return False
    return all(name in original.keywords() for name in arguments.keywords)


def covers(original: Signature, replacement: Signature) -> bool:
    """Whether every call that the original takes means the same to the replacement."""
    ours, theirs = replacement.positional(), original.positional()
    for mine, their in zip(ours, theirs, strict=False):
        if mine.name != their.name or (mine.kind == "positional" and their.kind != "positional"):
            return False
    if len(theirs) > len(ours) and not _takes_rest(replacement):
        return False
    if _takes_rest(original) and not _takes_rest(replacement):
        return False
    if not replacement.open_keywords and (
        original.open_keywords or not original.keywords() <= replacement.keywords()
    ):
        return False
    needed = {p.name for p in original.parameters if p.required}
    return all(p.name in needed for p in replacement.parameters if p.required)


def _takes_rest(signature: Signature) -> bool:
    return signature.open_positional or any(p.kind == "var_positional" for p in signature.parameters)


def swaps(original: Signature, replacement: Signature, arguments: Arguments) -> tuple[str, ...]:
    """The replacement's parameters that get, by position, what the original has under another name."""
    if arguments.open_positional:
        return ()
    ours, theirs = replacement.positional(), original.positional()
    our_names = {p.name for p in replacement.parameters}
    their_names = {p.name for p in original.parameters}
    found: list[str] = []
    for number in range(min(len(arguments.positional), len(ours), len(theirs))):
        mine, given = ours[number].name, theirs[number].name
        if mine != given and (mine in their_names or given in our_names):
            found.append(mine)
    return tuple(found)
