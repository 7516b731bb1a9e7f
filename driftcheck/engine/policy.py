"""Which findings are wanted where, and how grave each is: configuration and command line together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from driftcheck.engine.config import Config, check_words, find_config
from driftcheck.engine.patterns import matches
from driftcheck.engine.selectors import EVERY, prefix_of, specificity, suggestion
from driftcheck.model import Finding
from driftcheck.rulesdb import CodeInfo
from driftcheck.sources.errors import usage


@dataclass(frozen=True)
class Overrides:
    """What the command line says: ``select`` and ``ignore`` take the place of the configuration's."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class Policy:
    """The wishes about one consumer's findings.

    ``base`` is the configuration of the consumer; a file below a nested project's own configuration
    follows that one. ``locate`` gives the place on disk of a consumer file's path.
    """

    def __init__(
        self,
        base: Config,
        overrides: Overrides,
        codes: Mapping[str, CodeInfo],
        locate: Callable[[str], Path | None],
        isolated: bool = False,
    ) -> None:
        self._base = base
        self._overrides = overrides
        self._codes = codes
        self._locate = locate
        self._isolated = isolated
        self._configs: dict[Path, Config] = {}
        self._answers: dict[tuple[str, str], bool] = {}
        check_words(base, dict(codes))
        for word in (*overrides.select, *overrides.ignore):
            if prefix_of(word, codes) is None:
                raise usage(f"no check {word!r}; {suggestion(word, codes)}")

    def enabled(self, code: str, path: str) -> bool:
        """Whether a code is wanted in a file."""
        key = (code, path)
        if key not in self._answers:
            self._answers[key] = self._enabled(code, path)
        return self._answers[key]

    def applied(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that are wanted, each of the severity that is wished."""
        return [self._graded(one) for one in findings if self.enabled(one.code, one.path)]

    def _enabled(self, code: str, path: str) -> bool:
        config = self._config(path)
        settings = config.settings
        names = self._names(config, path)
        if any(matches(pattern, *names) for pattern in (*settings.exclude, *self._overrides.exclude)):
            return False
        for pattern, words in settings.per_file_ignores.items():
            if matches(pattern, *names) and specificity(code, self._prefixes(words)):
                return False
        select = self._overrides.select or settings.select
        ignore = self._overrides.ignore or settings.ignore
        wanted = specificity(code, [EVERY] if select is None else self._prefixes(select))
        return wanted > specificity(code, self._prefixes(ignore))

    def _graded(self, finding: Finding) -> Finding:
        wishes = self._config(finding.path).settings.severity
        best = 0
        severity = finding.severity
        for word, wish in wishes.items():
            length = specificity(finding.code, self._prefixes([word]))
            if length > best:
                best, severity = length, wish
        return (
            finding if severity == finding.severity else msgspec.structs.replace(finding, severity=severity)
        )

    def _prefixes(self, words: Iterable[str]) -> list[str]:
        found = (prefix_of(word, self._codes) for word in words)
        return [prefix for prefix in found if prefix is not None]

    def _config(self, path: str) -> Config:
        place = self._locate(path)
        if place is None or self._isolated:
            return self._base
        directory = place.parent
        if directory not in self._configs:
            config = find_config(directory)
            nested = config.path is not None and config.path != self._base.path and self._inside(directory)
            if nested:
                check_words(config, dict(self._codes))
            self._configs[directory] = config if nested else self._base
        return self._configs[directory]

    def _inside(self, directory: Path) -> bool:
        return self._base.path is None or directory.is_relative_to(self._base.root)

    def _names(self, config: Config, path: str) -> tuple[str, ...]:
        """The spellings that patterns are matched with: from the import root, and from the configuration."""
        place = self._locate(path)
        if place is None or not place.is_relative_to(config.root):
            return (path,)
        return path, place.relative_to(config.root).as_posix()
