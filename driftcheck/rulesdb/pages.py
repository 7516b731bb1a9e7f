"""A rule page: the prose that documents a check, and the cases that test it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, cast

import msgspec

from driftcheck.model.finding import Confidence, Severity, Status
from driftcheck.rulesdb.codes import page_files
from driftcheck.rulesdb.errors import RulesError, refuse_irregular
from driftcheck.rulesdb.expectations import split_expectations
from driftcheck.rulesdb.frontmatter import read_front_matter

SECTIONS = ("What it does", "Why it breaks", "Example", "Use instead")
CaseKind = Literal["case", "near miss"]
Reverse = Literal["mirror", "any"]
_HEADING_KEYS = ("known-good", "target", "reverse")
_FILE_PREFIXES = "provider@VERSION/PATH, consumer/PATH, expected/PATH or rules/NAME.toml"


class Expectation(msgspec.Struct, frozen=True):
    """One finding that a case wants; a part that is None may be anything."""

    path: str
    line: int
    code: str
    confidence: Confidence | None = None
    status: Status | None = None
    message: str | None = None


class Case(msgspec.Struct, frozen=True):
    """One independent test of a page.

    ``providers`` maps version to path to text, in the order written. ``consumer`` is without its
    expectation comments, line for line. ``known_good`` is None where the heading says ``none``.
    ``reverse`` is ``any`` where the heading says that the reversed versions promise nothing.
    """

    title: str
    kind: CaseKind
    line: int
    providers: dict[str, dict[str, str]]
    consumer: dict[str, str]
    expected: dict[str, str]
    rules: dict[str, str]
    known_good: str | None
    target: str
    reverse: Reverse
    expectations: tuple[Expectation, ...]


class Page(msgspec.Struct, frozen=True):
    """A parsed page; ``sections`` maps a prose heading to its Markdown."""

    path: Path
    code: str
    name: str
    severity: Severity
    since: str
    sections: dict[str, str]
    cases: tuple[Case, ...]


class Fence(msgspec.Struct, frozen=True):
    """A fenced block: the words after its language, its text, and the line of its opening."""

    words: tuple[str, ...]
    text: str
    line: int


def load_pages(root: Path) -> list[Page]:
    """Every page below a rules directory. Raises RulesError at the first malformed one."""
    return [load_page(path) for path in page_files(root)]


def load_page(path: Path) -> Page:
    """One page. Raises RulesError naming file and line, and what is allowed there."""
    refuse_irregular(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RulesError.at(path, None, f"not UTF-8: {error.reason}") from error
    except OSError as error:
        raise RulesError.at(path, None, f"cannot be read: {error.strerror or error}") from error
    return parse_page(path, text)


def parse_page(path: Path, text: str) -> Page:
    """The page that the text is; ``path`` names it in errors. Raises RulesError."""
    lines = text.split("\n")
    head, taken = read_front_matter(path, lines)
    sections: dict[str, str] = {}
    cases: list[Case] = []
    for title, line, start, end in _sections(path, lines, taken):
        if title.startswith(("case:", "near miss:")):
            cases.append(_case(path, head["code"], title, line, _fences(path, lines, start, end)))
        elif title in SECTIONS:
            sections[title] = "\n".join(lines[start:end]).strip()
        else:
            allowed = ", ".join(SECTIONS)
            raise RulesError.at(
                path, line, f"unknown section {title!r}; allowed: {allowed}, 'case: …', 'near miss: …'"
            )
    missing = [title for title in SECTIONS if not sections.get(title)]
    if missing:
        raise RulesError.at(path, 1, f"missing or empty section: {', '.join(missing)}")
    titles = [case.title for case in cases]
    for case in cases:
        if titles.count(case.title) > 1:
            raise RulesError.at(path, case.line, f"the title {case.title!r} is used twice")
    return Page(
        path=path,
        code=head["code"],
        name=head["name"],
        severity=cast(Severity, head["severity"]),
        since=head["since"],
        sections=sections,
        cases=tuple(cases),
    )


def _sections(path: Path, lines: list[str], taken: int) -> Iterator[tuple[str, int, int, int]]:
    """Title, line of the heading, and the body's half-open range of indices."""
    headings = [
        (index, lines[index][3:].strip())
        for index in _outside_fences(path, lines, taken)
        if lines[index].startswith("## ")
    ]
    ends = [index for index, _ in headings[1:]] + [len(lines)]
    for (index, title), end in zip(headings, ends, strict=False):  # without a heading there is no end either
        yield title, index + 1, index + 1, end


def _outside_fences(path: Path, lines: list[str], start: int) -> Iterator[int]:
    opened: tuple[str, int] | None = None
    for index in range(start, len(lines)):
        marker = _fence_marker(lines[index])
        if opened:
            if marker and marker.startswith(opened[0]) and lines[index].strip() == marker:
                opened = None
        elif marker:
            opened = (marker, index + 1)
        else:
            yield index
    if opened:
        raise RulesError.at(path, opened[1], "this fence is never closed")


def _fence_marker(line: str) -> str:
    ticks = len(line) - len(line.lstrip("`"))
    return "`" * ticks if ticks >= 3 else ""


def _fences(path: Path, lines: list[str], start: int, end: int) -> list[Fence]:
    found: list[Fence] = []
    index = start
    while index < end:
        marker = _fence_marker(lines[index])
        if not marker:
            index += 1
            continue
        close = index + 1
        while not (_fence_marker(lines[close]).startswith(marker) and not lines[close].strip("`").strip()):
            close += 1
        body = lines[index + 1 : close]
        words = tuple(lines[index].strip("`").split()[1:])
        found.append(Fence(words, "\n".join([*body, ""]) if body else "", index + 1))
        index = close + 1
    return found


def _case(path: Path, code: str, heading: str, line: int, fences: list[Fence]) -> Case:
    kind, title, settings = _heading(path, heading, line)
    providers: dict[str, dict[str, str]] = {}
    groups: dict[str, dict[str, str]] = {"consumer": {}, "expected": {}, "rules": {}}
    expectations: list[Expectation] = []
    for fence in fences:
        name = _file_name(path, fence)
        if name is None:
            continue
        owner, _, inner = name.partition("/")
        files = _owner(path, fence, owner, inner, providers, groups)
        text = fence.text
        if owner == "consumer":
            text, wanted = split_expectations(path, fence.line, text)
            expectations += [Expectation(inner, at, *parts) for at, parts in wanted]
        if any(inner in one for one in files):
            raise RulesError.at(path, fence.line, f"{name} is given twice in one case")
        for one in files:
            one[inner] = text
    if not providers or not groups["consumer"]:
        raise RulesError.at(path, line, "a case needs a provider@VERSION/ file and a consumer/ file")
    versions = list(providers)
    known_good = _version(path, line, settings.get("known-good", versions[0]), versions, "none")
    target = _version(path, line, settings.get("target", versions[-1]), versions)
    if kind == "near miss" and expectations:
        raise RulesError.at(path, line, "a near miss expects nothing: make it a case, or drop the '# drift:'")
    if kind == "case" and not any(wanted.code == code for wanted in expectations):
        raise RulesError.at(path, line, f"a case of {code} expects at least one '# drift: {code}'")
    return Case(
        title=title,
        kind=kind,
        line=line,
        providers=providers,
        consumer=groups["consumer"],
        expected=groups["expected"],
        rules=groups["rules"],
        known_good=known_good,
        target=cast(str, target),
        reverse=cast(Reverse, settings.get("reverse", "mirror")),
        expectations=tuple(expectations),
    )


def _heading(path: Path, heading: str, line: int) -> tuple[CaseKind, str, dict[str, str]]:
    kind, _, rest = heading.partition(":")
    words = rest.split()
    settings: dict[str, str] = {}
    while words and "=" in words[-1]:
        key, _, value = words.pop().partition("=")
        if key not in _HEADING_KEYS or not value:
            raise RulesError.at(
                path, line, f"unknown setting {key!r} in the heading; allowed: {', '.join(_HEADING_KEYS)}"
            )
        if key == "reverse" and value not in ("mirror", "any"):
            raise RulesError.at(path, line, f"reverse={value}; allowed: mirror, any")
        settings[key] = value
    if not words:
        raise RulesError.at(path, line, f"a {kind} needs a title")
    return cast(CaseKind, kind), " ".join(words), settings


def _file_name(path: Path, fence: Fence) -> str | None:
    """The fence's ``file=``; None for a fence that only shows something."""
    names = [word.removeprefix("file=") for word in fence.words if word.startswith("file=")]
    if len(names) != len(fence.words) or len(names) > 1:
        raise RulesError.at(path, fence.line, "a fence says its language and 'file=…', nothing else")
    if not names:
        return None
    parts = names[0].split("/")
    if "" in parts or ".." in parts or "." in parts or len(parts) < 2:
        raise RulesError.at(path, fence.line, f"file={names[0]}; allowed: {_FILE_PREFIXES}")
    return names[0]


def _owner(
    path: Path,
    fence: Fence,
    owner: str,
    inner: str,
    providers: dict[str, dict[str, str]],
    groups: dict[str, dict[str, str]],
) -> list[dict[str, str]]:
    """The groups a file belongs to: one, or several provider versions for ``provider@1,2/…``."""
    if owner.startswith("provider@"):
        versions = owner.removeprefix("provider@").split(",")
        if all(versions):
            return [providers.setdefault(version, {}) for version in versions]
    elif owner in groups and (owner != "rules" or inner.endswith(".toml")):
        return [groups[owner]]
    raise RulesError.at(path, fence.line, f"file={owner}/{inner}; allowed: {_FILE_PREFIXES}")


def _version(path: Path, line: int, value: str, versions: list[str], *others: str) -> str | None:
    if value in versions:
        return value
    if value in others:
        return None
    allowed = ", ".join([*versions, *others])
    raise RulesError.at(path, line, f"no version {value!r} in this case; allowed: {allowed}")
