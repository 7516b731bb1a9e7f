"""Where reports go: to the terminal, to one file in its place, and to any number of files besides."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from driftcheck.cli.errors import UsageProblem, writing_stdout
from driftcheck.report import FORMATS

STDOUT = "-"


@dataclass(frozen=True)
class Output:
    """One report to write: its format, and its file; None is standard output."""

    format: str
    path: Path | None


def outputs_of(chosen: str, files: tuple[str, ...]) -> list[Output]:
    """What ``--output-format`` and the ``--output-file``s mean together.

    ``FILE`` takes the place of standard output; ``FORMAT:FILE`` is written besides, and as often as
    wanted. Raises UsageProblem for two plain files, for one file named twice, and for a word before a
    colon that is nearly a format; any other is part of a file's name.
    """
    plain: list[str] = []
    found: list[Output] = []
    for text in files:
        head, colon, rest = text.partition(":")
        if colon and head in FORMATS:
            if not rest:
                raise UsageProblem(f"--output-file {text}: a file is missing after {head}:")
            found.append(Output(head, None if rest == STDOUT else Path(rest)))
        elif is_misspelt_format(text):
            raise UsageProblem(
                f"--output-file {text}: {head or 'nothing'} is no format (a file: ./{text}); "
                f"formats: {', '.join(FORMATS)}"
            )
        else:
            plain.append(text)
    if len(plain) > 1:
        formats = ", ".join(FORMATS)
        raise UsageProblem(
            f"--output-file {plain[1]}: a second file needs its format, FORMAT:FILE; formats: {formats}"
        )
    first = Path(plain[0]) if plain and plain[0] != STDOUT else None
    if not any(one.path is None for one in found):
        found.insert(0, Output(chosen, first))
    elif first is not None:
        found.insert(0, Output(chosen, first))
    paths = [one.path for one in found]
    for path in paths:
        if paths.count(path) > 1:
            raise UsageProblem(f"--output-file: {path or 'standard output'} is named twice")
    return found


def is_misspelt_format(text: str) -> bool:
    """Whether what stands before a colon, where no directory or drive is named, is nearly a format or empty."""
    from difflib import get_close_matches  # asked of odd names only

    head, colon, _ = text.partition(":")
    if not colon or len(head) == 1 or "/" in head or "\\" in head:
        return False
    return not head or bool(get_close_matches(head.lower(), FORMATS, 1, 0.75))


class PlainFile(click.Path):
    """The file of a command that writes one report, whose format ``--output-format`` says."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The file's path. A format before it is an error: as part of the name it would go unnoticed."""
        if is_misspelt_format(str(value)):
            self.fail(
                f"{value}: takes no FORMAT: before the file, --output-format says it (a file: ./{value})",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)


def write(text: str, path: Path | None) -> None:
    """Write a report. Raises UsageProblem where the file, or standard output, cannot be written."""
    data = text.encode("utf-8", "backslashreplace")
    if path is not None:
        try:
            path.write_bytes(data)
        except OSError as error:
            raise UsageProblem(f"cannot write {path}: {error.strerror or error}") from error
        return
    with writing_stdout():
        _write_stdout(text, data)


def _write_stdout(text: str, data: bytes) -> None:
    encoding = (sys.stdout.encoding or "utf-8").lower()
    if encoding in ("utf-8", "utf8"):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        # Whatever the terminal's encoding lacks (an arrow, a name) must not end the run.
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False)
