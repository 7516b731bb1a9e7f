"""The language server, spoken to by a real client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the lsp extra is not installed")

from lint.project import Project
from lsprotocol import types
from pygls.lsp.client import LanguageClient

WAIT = 60


class Editor(LanguageClient):
    """A client that keeps what the server publishes."""

    def __init__(self, encodings: list[types.PositionEncodingKind] | None = None) -> None:
        super().__init__("editor", "1")
        self.diagnostics: dict[str, list[types.Diagnostic]] = {}
        self.messages: list[str] = []
        self.news = asyncio.Event()
        self.encodings = encodings

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.diagnostics[params.uri] = list(params.diagnostics)
            self.news.set()

        @self.feature(types.WINDOW_SHOW_MESSAGE)
        def told(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self.news.set()

    async def begin(self, root: Path, *options: str) -> None:
        await self.start_io(sys.executable, "-m", "driftcheck.cli", "lsp", *options)
        general = types.GeneralClientCapabilities(position_encodings=self.encodings)
        await self.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(general=general),
                root_uri=root.as_uri(),
                workspace_folders=[types.WorkspaceFolder(root.as_uri(), "root")],
            )
        )
        self.initialized(types.InitializedParams())

    async def until(self, wanted: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT):
            while not wanted():
                self.news.clear()
                await self.news.wait()

    def open(self, path: Path, text: str | None = None) -> str:
        uri = path.as_uri()
        item = types.TextDocumentItem(uri, "python", 1, path.read_text() if text is None else text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def save(self, path: Path, text: str, version: int) -> None:
        path.write_text(text)
        change = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(version, path.as_uri())
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        self.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(path.as_uri()))
        )

    async def end(self) -> None:
        await self.shutdown_async(None)
        self.exit(None)
        await self.stop()


def talk(editor: Callable[[], Editor], conversation: Callable[[Editor], Awaitable[Any]]) -> None:
    async def main() -> None:
        one = editor()
        try:
            await conversation(one)
            await one.end()
        finally:
            if not one.stopped:
                await one.stop()

    asyncio.run(main())


def codes(editor: Editor, uri: str) -> list[Any]:
    return [one.code for one in editor.diagnostics.get(uri, [])]


def options(project: Project) -> list[str]:
    return ["--against", str(project.new), "--known-good", str(project.old)]


def test_open_fix_save(project: Project) -> None:
    other = project.write("src/dock/other.py", "from gantry import lower\n")

    async def conversation(editor: Editor) -> None:
        await editor.begin(project.root, *options(project))
        uri = editor.open(project.user)
        await editor.until(lambda: bool(editor.diagnostics.get(uri)) and other.as_uri() in editor.diagnostics)
        (one,) = editor.diagnostics[uri]
        assert (one.code, one.source, one.severity) == ("DC201", "driftcheck", types.DiagnosticSeverity.Error)
        assert (one.range.start, one.range.end) == (types.Position(4, 18), types.Position(4, 27))
        assert "gantry/__init__.py:1" in one.message
        assert codes(editor, other.as_uri()) == ["DC102"], "the other files of the project are told too"
        found = await editor.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(uri), one.range, types.CodeActionContext([one])
            )
        )
        titles = [action.title for action in found or []]
        assert titles == ["DC201: drop the keyword fast", "DC201: suppress on this line"]
        fix = found[0]
        assert isinstance(fix, types.CodeAction)
        assert fix.is_preferred
        (edit,) = fix.edit.changes[uri]
        lines = project.user.read_text().split("\n")
        row = lines[4]
        lines[4] = row[: edit.range.start.character] + edit.new_text + row[edit.range.end.character :]
        editor.save(project.user, "\n".join(lines), 2)
        await editor.until(lambda: editor.diagnostics[uri] == [])
        assert lines[4] == '    lift("crate")'
        assert codes(editor, other.as_uri()) == ["DC102"]

    talk(Editor, conversation)


def test_unsaved_text_counts_when_a_file_is_opened(project: Project) -> None:
    text = "from gantry import lift\n\nlift(1)\nlift('😀é', fast=True)\n"

    async def conversation(editor: Editor) -> None:
        await editor.begin(project.root, *options(project))
        uri = editor.open(project.user, text)
        await editor.until(lambda: bool(editor.diagnostics.get(uri)))
        (one,) = editor.diagnostics[uri]
        # An emoji is two UTF-16 units.
        assert (one.range.start.line, one.range.start.character) == (3, 12)

    talk(Editor, conversation)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 15), ("utf-32", 11)])
def test_other_position_encodings(project: Project, encoding: str, column: int) -> None:
    project.user.write_text("from gantry import lift\n\nlift('😀é', fast=True)\n")
    wanted = types.PositionEncodingKind(encoding)

    async def conversation(editor: Editor) -> None:
        await editor.begin(project.root, *options(project))
        uri = editor.open(project.user)
        await editor.until(lambda: bool(editor.diagnostics.get(uri)))
        assert editor.diagnostics[uri][0].range.start.character == column

    talk(lambda: Editor([wanted]), conversation)


def test_hover_shows_both_versions(project: Project) -> None:
    async def conversation(editor: Editor) -> None:
        await editor.begin(project.root, *options(project))
        uri = editor.open(project.user)
        await editor.until(lambda: bool(editor.diagnostics.get(uri)))
        document = types.TextDocumentIdentifier(uri)
        hover = await editor.text_document_hover_async(types.HoverParams(document, types.Position(0, 20)))
        assert hover is not None
        text = hover.contents.value
        assert text.startswith("**gantry.lift**")
        assert "`def lift(load): ...`" in text
        assert "`def lift(load, fast=True): ...`" in text
        assert (
            await editor.text_document_hover_async(types.HoverParams(document, types.Position(1, 0))) is None
        )

    talk(Editor, conversation)


def test_a_mistake_is_told_once_and_ends_nothing(project: Project) -> None:
    project.configure("[tool.driftcheck]\nignor = []\n")

    async def conversation(editor: Editor) -> None:
        await editor.begin(project.root, *options(project))
        uri = editor.open(project.user)
        await editor.until(lambda: bool(editor.messages))
        assert "did you mean 'ignore'?" in editor.messages[0]
        project.configure("")
        editor.save(project.user, project.user.read_text(), 2)
        await editor.until(lambda: bool(editor.diagnostics.get(uri)))
        assert len(editor.messages) == 1

    talk(Editor, conversation)


def test_a_script_outside_the_package_is_checked_by_itself(project: Project) -> None:
    script = project.write("tools/run.py", "from gantry import lower\n")

    async def conversation(editor: Editor) -> None:
        await editor.begin(project.root, *options(project))
        uri = editor.open(script)
        await editor.until(lambda: bool(editor.diagnostics.get(uri)))
        assert codes(editor, uri) == ["DC102"]

    talk(Editor, conversation)
