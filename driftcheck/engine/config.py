"""``[tool.driftcheck]`` of a ``pyproject.toml``: found, read strictly, and every value's place known."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from driftcheck.engine.selectors import prefix_of, suggestion
from driftcheck.model.finding import Severity
from driftcheck.rulesdb import CodeInfo, load_codes
from driftcheck.sources.errors import SourceError, usage
from driftcheck.sources.pyproject import MAX_SIZE

FILE = "pyproject.toml"
TABLE = "tool.driftcheck"

T = TypeVar("T")


class Provider(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The version of a library that is asked about, and the one that is known to work."""

    target: str | None = None
    known_good: str | None = None


class Settings(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """The keys of the table, each with its default."""

    providers: dict[str, str | Provider] = {}
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severity: dict[str, Severity] = {}
    per_file_ignores: dict[str, tuple[str, ...]] = {}
    exclude: tuple[str, ...] = ()
    include: tuple[Literal["tests"], ...] = ()
    rules: tuple[str, ...] = ()
    style: Literal["shim", "gate"] | None = None
    baseline: str | None = None
    fail_on: tuple[str, ...] = ("warning",)
    show_possible: bool = False
    contracts: bool = True
    python: str | None = None


@dataclass(frozen=True)
class Config:
    """Settings and the file they are from; without a file, the defaults."""

    settings: Settings = field(default_factory=Settings)
    path: Path | None = None
    text: str = ""

    @property
    def root(self) -> Path:
        """The directory that relative paths are read from."""
        return self.path.parent if self.path is not None else Path.cwd()

    @cached_property
    def rules(self) -> tuple[Path, ...]:
        """The user's rules directories."""
        return tuple(self.root / name for name in self.settings.rules)

    @property
    def baseline(self) -> Path | None:
        return self.root / self.settings.baseline if self.settings.baseline else None

    @property
    def python(self) -> Path | None:
        return self.root / self.settings.python if self.settings.python else None

    def line_of(self, *keys: str) -> int | None:
        """The line that a key of the table (``severity``, ``DC201``) is set on, where it is found."""
        return _line_of(self.text, keys)


def find_config(start: Path) -> Config:
    """The configuration in force at a path: of the nearest file above it that has the table.

    Looked for up to the root of the checkout (what holds ``.git``), the home directory or the file
    system's root. Raises SourceError for one that cannot be meant.
    """
    start = Path(os.path.abspath(start))
    if not start.is_dir():
        start = start.parent
    for directory in (start, *start.parents):
        config = load_config(directory / FILE)
        if config is not None:
            return config
        if (directory / ".git").exists() or directory == Path.home():
            break
    return Config()


def load_config(path: Path) -> Config | None:
    """The configuration in a file; None where it is not there or has no such table. Raises SourceError."""
    try:
        if not path.is_file():  # a pipe or a device would never end
            return None
        with path.open("rb") as file:
            data = file.read(MAX_SIZE + 1)
    except OSError as error:
        raise usage(f"cannot read {path}: {error.strerror or error}") from error
    if b"driftcheck" not in data:
        return None
    if len(data) > MAX_SIZE:
        raise usage(f"{path} is larger than {MAX_SIZE >> 20} MB: no configuration is")
    try:
        text = data.decode("utf-8")
        table = tomllib.loads(text).get("tool", {}).get("driftcheck")
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError) as error:
        raise usage(f"{path}: {error}") from error
    except RecursionError as error:
        raise usage(f"{path}: values are nested too deeply") from error
    return None if table is None else parse_config(path, text, table)


def parse_config(path: Path, text: str, table: Any) -> Config:
    """The configuration that a table is. Raises SourceError naming file, line and what is allowed."""
    providers = table.get("providers") if isinstance(table, dict) else None
    for name, said in (providers if isinstance(providers, dict) else {}).items():
        if not isinstance(said, str):
            # By themselves: of a value that may be a word or a table, an error could not say what is allowed.
            _converted(said, Provider, path, text, ("providers", name))
    return Config(_converted(table, Settings, path, text, ()), path, text)


def _converted(table: Any, type_: type[T], path: Path, text: str, above: tuple[str, ...]) -> T:
    try:
        return msgspec.convert(table, type_)
    except msgspec.ValidationError as error:
        from driftcheck.rulesdb.libraries import explain

        problem = explain(str(error), type_).replace("Object contains unknown field", "unknown key")
        problem = problem.replace("[.]", "")
        keys = [*above, *re.findall(r"[\w-]+", str(error).partition(" - at `")[2])]
        unknown = re.search(r"unknown key `([^`]+)`", problem)
        line = _line_of(text, (*keys, unknown[1]) if unknown else tuple(keys))
        within = f" in {'.'.join(above)}" if above else ""
        raise _at(path, line, problem.replace("`;", f"`{within};", 1)) from error


def check_words(config: Config, codes: dict[str, CodeInfo]) -> None:
    """Raises SourceError for a word that should mean a code and does not."""
    settings = config.settings
    lists = [("select", settings.select or ()), ("ignore", settings.ignore)]
    lists += [("per-file-ignores", words) for words in settings.per_file_ignores.values()]
    lists.append(("severity", tuple(settings.severity)))
    lists.append(("fail-on", tuple(w for w in settings.fail_on if w not in ("error", "warning", "note"))))
    for key, words in lists:
        for word in words:
            if prefix_of(word, codes) is None:
                problem = f"no check {word!r} in {key}; {suggestion(word, codes)}"
                raise _at(config.path or Path(FILE), config.line_of(key), problem)


def codes_for(config: Config) -> dict[str, CodeInfo]:
    """The codes that there are under a configuration. Raises RulesError for a bad rules directory."""
    return load_codes(config.rules)


def _at(path: Path, line: int | None, problem: str) -> SourceError:
    place = f"{path}:{line}" if line is not None else str(path)
    return usage(f"{place}: [{TABLE}] {problem}")


def _line_of(text: str, keys: tuple[str, ...]) -> int | None:
    """The line of a key, by its name below the headings of the table; good for a message, no more."""
    wanted = [key for key in keys if not key.isdigit()]
    inside = ""
    best: int | None = None
    for number, line in enumerate(text.split("\n"), 1):
        heading = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]", line)
        if heading:
            inside = heading[1].replace('"', "").replace("'", "")
            parts = inside.removeprefix(TABLE).strip(".").split(".")
            if inside.startswith(TABLE) and wanted and parts == wanted[: len(parts)]:
                best = number
            continue
        name = re.match(r"\s*[\"']?([^\"'=\s]+)[\"']?(?:\s*\.[^=]+)?\s*=", line)
        if inside.startswith(TABLE) and name and wanted and name[1].split(".")[0] in wanted:
            if name[1].split(".")[0] == wanted[-1] or best is None:
                best = number
                if name[1] == wanted[-1]:
                    return best
    return best
