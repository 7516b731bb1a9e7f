"""Which lines of which files differ from a git revision, or are staged for the next commit."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from driftcheck.model import Finding
from driftcheck.sources.errors import SourceError, usage

_HUNK = re.compile(rb"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
EVERY_LINE = (1, 2**31)


@dataclass(frozen=True)
class Changes:
    """Changed lines by file: first and last of each range, counted from 1.

    ``staged`` holds the bytes that the next commit will have, for files whose working copy differs.
    """

    root: Path
    lines: dict[str, list[tuple[int, int]]]
    staged: dict[str, bytes]

    def touches(self, place: Path | None, finding: Finding) -> bool:
        """Whether a finding's anchor, in the file at ``place``, is on a changed line."""
        if place is None:
            return False
        ranges = self.lines.get(self.name_of(place), ())
        return any(first <= finding.end_line and finding.line <= last for first, last in ranges)

    def name_of(self, place: Path) -> str:
        """A file's path as git spells it; the path itself where it is outside."""
        real = Path(os.path.realpath(place))
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else str(real)


def changed_since(revision: str, directory: Path) -> Changes:
    """The lines changed since the branch left ``revision``, committed or not; new files whole.

    Raises SourceError outside a repository, and for a revision that is not there.
    """
    root = _root(directory)
    commit = _commit(revision, root)
    try:
        commit = _git(root, "merge-base", commit, "HEAD").decode().strip() or commit
    except SourceError:
        pass  # histories that share nothing: against the revision as it is
    lines = _lines(_git(root, "diff", *_PLAIN, commit, "--"))
    for name in _names(_git(root, "ls-files", "--others", "--exclude-standard", "-z")):
        lines[name] = [EVERY_LINE]
    return Changes(root, lines, {})


def changed_in_index(directory: Path) -> Changes:
    """The lines that are staged, and the staged bytes of Python files whose working copy differs.

    Raises SourceError outside a repository.
    """
    root = _root(directory)
    lines = _lines(_git(root, "diff", "--cached", *_PLAIN, "--"))
    differing = _names(_git(root, "diff", "--name-only", "-z", *_SAFE, "--"))
    staged = {
        name: _git(root, "show", f":{name}") for name in differing if name in lines and name.endswith(".py")
    }
    return Changes(root, lines, staged)


# Neither filters nor drivers nor hooks that the repository configures are run.
_SAFE = ("--no-ext-diff", "--no-textconv")
_PLAIN = ("-U0", "--no-color", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", *_SAFE)


def _root(directory: Path) -> Path:
    try:
        text = _git(directory, "rev-parse", "--show-toplevel")
    except SourceError as error:
        raise usage(
            f"{directory} is in no git repository ({error}): --since and --staged need one"
        ) from error
    return Path(os.path.realpath(os.fsdecode(text.rstrip(b"\n"))))


def _commit(revision: str, root: Path) -> str:
    if revision.startswith("-") or not revision.strip():
        raise usage(f"--since {revision!r} is no revision")
    try:
        return _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except SourceError:
        raise usage(
            f"--since {revision}: no such revision here; fetch it first (a shallow checkout lacks history)"
        ) from None


def _git(directory: Path, *arguments: str) -> bytes:
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *arguments]
    try:
        done = subprocess.run(
            command, cwd=directory, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except (FileNotFoundError, NotADirectoryError):
        raise usage("git is not installed: --since and --staged need it") from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise usage(f"git {arguments[0]}: {reason[0] if reason else f'exit status {done.returncode}'}")
    return done.stdout


def _names(output: bytes) -> list[str]:
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def _lines(diff: bytes) -> dict[str, list[tuple[int, int]]]:
    """Changed lines by file, of a diff without context."""
    found: dict[str, list[tuple[int, int]]] = {}
    current: list[tuple[int, int]] = []
    for line in _headers(diff.split(b"\n")):
        if line.startswith(b"+++ "):
            name = _unquoted(line[4:].rstrip(b"\t"))
            current = found.setdefault(name.removeprefix("b/"), []) if name != "/dev/null" else []
            continue
        match = _HUNK.match(line)
        if match:
            first, count = int(match[1]), int(match[2] or 1)
            if count:
                current.append((first, first + count - 1))
    return found


def _headers(lines: Iterable[bytes]) -> Iterable[bytes]:
    """The lines of a diff that are not content: content after a hunk's head is counted off."""
    left = 0
    for line in lines:
        if left > 0 and line[:1] in b"+-" and line:
            left -= 1
            continue
        match = re.match(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", line)
        if match:
            left = int(match[1] or 1) + int(match[2] or 1)
        yield line


def _unquoted(name: bytes) -> str:
    if name.startswith(b'"') and name.endswith(b'"'):
        name = name[1:-1].decode("unicode_escape").encode("latin-1")
    return os.fsdecode(name)
