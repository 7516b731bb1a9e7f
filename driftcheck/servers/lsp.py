"""The language server: diagnostics when a file is opened or saved, fixes as code actions, hover.

One thread checks at a time; an editor that saves faster than checks end gets the answer for the last.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from driftcheck import __version__
from driftcheck.engine.lines import SourceLines
from driftcheck.engine.request import Request
from driftcheck.engine.work import Outcome, run
from driftcheck.model import Finding
from driftcheck.report.links import rule_page
from driftcheck.rulesdb import RulesError
from driftcheck.servers.about import Mentions, place_of
from driftcheck.servers.positions import Positions
from driftcheck.sources import SourceError

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_TAGS = {"DC901": types.DiagnosticTag.Unnecessary, "DC108": types.DiagnosticTag.Deprecated}


@dataclass
class _Checked:
    """The last answer about one project, and what of it is shown where."""

    outcome: Outcome
    shown: dict[str, list[tuple[Finding, types.Diagnostic]]] = field(default_factory=dict)
    mentions: dict[str, list[Mentions]] = field(default_factory=dict)


class DriftServer(LanguageServer):
    """A server whose checks follow ``request``, whatever consumer the open file belongs to."""

    def __init__(self, request: Request) -> None:
        super().__init__("driftcheck", __version__)
        self.request = request
        self.projects: dict[str, _Checked] = {}
        self.told: set[str] = set()
        self.lock = threading.Lock()
        self.wanted: dict[str, int] = {}

    def check(self, uri: str) -> None:
        """Check the project of a file and publish what is found in each of its files."""
        path = to_fs_path(uri)
        if path is None or not path.endswith(".py"):
            return
        consumer = consumer_of(Path(path), self._folders())
        number = self.wanted[consumer] = self.wanted.get(consumer, 0) + 1
        with self.lock:
            if self.wanted[consumer] != number:
                return  # asked again meanwhile: that answer will do for both
            try:
                outcome = self._run(consumer)
                if place_of(path, outcome.places.files()) is None and path != consumer:
                    consumer = path  # not part of what the project installs: a script, a test
                    outcome = self._run(consumer)
            except (SourceError, RulesError) as error:
                self._tell(str(error))
                return
            self._publish(consumer, outcome)

    def checked(self, uri: str) -> tuple[_Checked, str] | None:
        """The last answer about a file, and the file's path in it."""
        path = to_fs_path(uri)
        if path is None:
            return None
        for project in reversed(self.projects.values()):
            name = place_of(path, project.outcome.places.files())
            if name is not None:
                return project, name
        return None

    def _folders(self) -> list[Path]:
        paths = [to_fs_path(uri) for uri in self.workspace.folders] or [self.workspace.root_path]
        return [Path(path) for path in paths if path]

    def _run(self, consumer: str) -> Outcome:
        overlay: dict[Path, bytes] = {}
        for document in list(self.workspace.text_documents.values()):
            place = Path(document.path)
            data = document.source.encode("utf-8", "surrogateescape")
            if place.suffix == ".py" and _differs(place, data):
                overlay[place] = data
        return run(replace(self.request, consumers=(consumer,), overlay=overlay), lambda stage: None)

    def _publish(self, consumer: str, outcome: Outcome) -> None:
        checked = _Checked(outcome)
        positions = Positions(SourceLines(outcome.read), self.workspace.position_encoding)
        for one in outcome.report.findings:
            place = outcome.places.locate(one.path)
            if place is not None and one.status != "fixed" and one.confidence != "possible":
                uri = from_fs_path(str(place)) or ""
                diagnostic = _diagnostic(one, outcome, positions)
                checked.shown.setdefault(uri, []).append((one, diagnostic))
        before = self.projects.pop(consumer, None)
        self.projects[consumer] = checked
        gone = set(before.shown) - set(checked.shown) if before else set()
        for uri in sorted(gone):
            self._show(uri, ())
        for uri, found in checked.shown.items():
            self._show(uri, (diagnostic for _, diagnostic in found))
        for warning in outcome.warnings:
            self._tell(warning)

    def _show(self, uri: str, diagnostics: Iterable[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, list(diagnostics)))

    def _tell(self, message: str) -> None:
        """Say something once; an editor that pops up the same words at each save would be switched off."""
        if message not in self.told:
            self.told.add(message)
            self.window_show_message(
                types.ShowMessageParams(types.MessageType.Warning, f"driftcheck: {message}")
            )


def _differs(place: Path, data: bytes) -> bool:
    try:
        return place.read_bytes() != data
    except OSError:
        return False


def consumer_of(path: Path, folders: list[Path]) -> str:
    """The consumer that a file belongs to: the nearest project around it within a workspace folder."""
    from driftcheck.sources.local import is_project

    for directory in path.parents:
        if is_project(directory):
            return str(directory)
        if directory in folders:
            break
    return str(path)


def _diagnostic(one: Finding, outcome: Outcome, positions: Positions) -> types.Diagnostic:
    lines = [one.message, *(f"{e.version}: {e.path}:{e.line}  {e.text.strip()}" for e in one.evidence)]
    related = []
    for other in one.related:
        place = outcome.places.locate(other.path)
        if place is not None:
            location = types.Location(from_fs_path(str(place)) or "", positions.line(other.path, other.line))
            related.append(types.DiagnosticRelatedInformation(location, other.message))
    return types.Diagnostic(
        range=positions.range(one.path, one),
        message="\n".join(lines),
        severity=_SEVERITIES[one.severity],
        code=one.code,
        code_description=types.CodeDescription(rule_page(one.code, one.name)),
        source="driftcheck",
        tags=[_TAGS[one.code]] if one.code in _TAGS else None,
        related_information=related or None,
    )


def code_actions(server: DriftServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """For each finding in a range: its fix, unless a person has to decide, and a suppression."""
    uri = params.text_document.uri
    found = server.checked(uri)
    if found is None:
        return []
    project, name = found
    if not _is_as_checked(server, project.outcome, uri, name):
        return []
    positions = Positions(SourceLines(project.outcome.read), server.workspace.position_encoding)
    actions: list[types.CodeAction] = []
    for one, diagnostic in project.shown.get(from_fs_path(to_fs_path(uri) or "") or uri, ()):
        if _touches(diagnostic.range, params.range):
            if one.fix is not None and one.fix.edits and one.fix.applicability != "display":
                actions.append(_fix_action(one, diagnostic, project.outcome, positions))
            if one.code != "DC901":
                actions.append(_suppress_action(one, diagnostic, uri, positions))
    return actions


def _is_as_checked(server: DriftServer, outcome: Outcome, uri: str, name: str) -> bool:
    """Whether the document still is what was checked; of another text no position is right."""
    document = server.workspace.text_documents.get(uri)
    return document is None or document.source.encode("utf-8", "surrogateescape") == outcome.read(name)


def _touches(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _fix_action(
    one: Finding, diagnostic: types.Diagnostic, outcome: Outcome, positions: Positions
) -> types.CodeAction:
    assert one.fix is not None
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in one.fix.edits:
        place = outcome.places.locate(edit.path)
        if place is not None:
            text = types.TextEdit(positions.range(edit.path, edit), edit.text)
            changes.setdefault(from_fs_path(str(place)) or "", []).append(text)
    safe = one.fix.applicability == "safe"
    title = one.fix.description if safe else f"{one.fix.description} (unsafe)"
    return types.CodeAction(
        title=f"{one.code}: {title}",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        is_preferred=safe or None,
        edit=types.WorkspaceEdit(changes=dict(changes)),
    )


def _suppress_action(
    one: Finding, diagnostic: types.Diagnostic, uri: str, positions: Positions
) -> types.CodeAction:
    end = positions.end_of_line(one.path, one.line)
    edit = types.TextEdit(types.Range(end, end), f"  # drift: ignore[{one.code}]")
    return types.CodeAction(
        title=f"{one.code}: suppress on this line",
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        edit=types.WorkspaceEdit(changes={uri: [edit]}),
    )


def hover(server: DriftServer, params: types.HoverParams) -> types.Hover | None:
    """Where each version defines the provider's symbol under the cursor."""
    found = server.checked(params.text_document.uri)
    if found is None:
        return None
    project, name = found
    positions = Positions(SourceLines(project.outcome.read), server.workspace.position_encoding)
    line, column = positions.place(name, params.position)
    with server.lock:
        for mentions in _mentions(project):
            symbols = mentions.at(name, line, column)
            if symbols:
                text = "\n".join([f"**{symbols[0].name}**", "", *(one.markdown() for one in symbols)])
                return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))
    return None


def _mentions(project: _Checked) -> list[Mentions]:
    """Each pair's mentions, worked out when the first hover asks."""
    if "all" not in project.mentions:
        project.mentions["all"] = [
            Mentions(consumer, target, known_good) for consumer, target, known_good in project.outcome.pairs
        ]
    return project.mentions["all"]


def make_server(request: Request) -> DriftServer:
    """The server with its features; ``start_io`` runs it."""
    server = DriftServer(request)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.thread()
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    @server.thread()
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return code_actions(server, params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @server.thread()
    def hovered(params: types.HoverParams) -> types.Hover | None:
        return hover(server, params)

    return server
