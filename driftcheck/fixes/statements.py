"""Adding whole statements: after another one, or as an import that something needs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from driftcheck.fixes.edits import replace_offsets
from driftcheck.fixes.operations import InsertAfter
from driftcheck.fixes.slices import Unparsable, enclosing, region
from driftcheck.index.source import Source
from driftcheck.model import Edit


def inserted_after(source: Source, operation: InsertAfter) -> Edit:
    """The edit that puts a statement on the lines after the simple one that holds the node.

    Raises Unparsable where the node stands in the header of a compound statement.
    """
    at = statement_of(source.tree, operation.node)
    if not is_simple(at):
        raise Unparsable("it stands in the header of a compound statement")
    line = source.line(at.lineno)
    indent = line[: len(line) - len(line.lstrip())]
    end = source.offset(at.end_lineno or at.lineno, 0) + len(source.line(at.end_lineno or at.lineno))
    if source.offset(at.lineno, at.col_offset) != source.offset(at.lineno, 0) + len(indent):
        raise Unparsable("it shares its line with another statement")
    rest = source.text[region(source, at)[1] : end].strip()
    if rest and not rest.startswith("#"):
        raise Unparsable("it shares its line with another statement")
    return replace_offsets(source, end, end, "\n" + indent + operation.code.replace("\n", "\n" + indent))


def statement_of(tree: ast.Module, node: ast.AST) -> ast.stmt:
    """The innermost statement that holds a node (the node itself, if it is one). Raises Unparsable."""
    if isinstance(node, ast.stmt):
        return node
    found = [holder for holder in enclosing(tree, node) if isinstance(holder, ast.stmt)]
    if not found:
        raise Unparsable("no statement holds it")
    return found[-1]


def is_simple(statement: ast.stmt) -> bool:
    """Whether a statement has no suite of its own."""
    return not hasattr(statement, "body")


def needed_imports(source: Source, codes: Iterable[str]) -> list[Edit]:
    """Edits that add import statements at the file's top, except those that it has.

    Each goes before the first import of its own package, else before the first one of a package that
    comes after it in the usual order (the standard library's before others').
    """
    present = {ast.unparse(statement) for statement in source.tree.body if isinstance(statement, _IMPORTS)}
    missing = [code for code in dict.fromkeys(codes) if code not in present]
    places: dict[int, list[str]] = {}
    for code in missing:
        places.setdefault(_place_for(source, code), []).append(code)
    return [
        replace_offsets(source, at, at, "".join(code + "\n" for code in some)) for at, some in places.items()
    ]


def _place_for(source: Source, code: str) -> int:
    """The beginning of the line before which an import may stand."""
    wanted = _package(ast.parse(code).body[0])
    imports = [
        s
        for s in source.tree.body
        if isinstance(s, _IMPORTS) and not _is_future(s) and _starts_line(source, s)
    ]
    for statement in imports:
        if _package(statement) == wanted:
            return source.offset(statement.lineno, 0)
    for statement in imports:
        if _rank(statement) > _rank(ast.parse(code).body[0]):
            return source.offset(statement.lineno, 0)
    if imports:
        return _line_after(source, imports[-1])
    return _after_docstring(source)


def _package(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Import):
        return statement.names[0].name.partition(".")[0]
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        return (statement.module or "").partition(".")[0]
    return ""


def _rank(statement: ast.stmt) -> tuple[int, str]:
    """Where an import stands in the usual order: standard library, others, the package's own."""
    package = _package(statement)
    group = 2 if not package else 0 if package in sys.stdlib_module_names else 1
    return group, package if group == 1 else ""


def _starts_line(source: Source, statement: ast.stmt) -> bool:
    return source.line(statement.lineno).startswith(("import", "from"))


def _line_after(source: Source, statement: ast.stmt) -> int:
    last = statement.end_lineno or statement.lineno
    end = source.offset(last, 0) + len(source.line(last))
    if end >= len(source.text):
        raise Unparsable("nothing follows it")
    return end + 1


_IMPORTS = (ast.Import, ast.ImportFrom)


def _after_docstring(source: Source) -> int:
    """The beginning of the first line that is neither docstring nor ``from __future__``."""
    body = source.tree.body
    last = None
    for statement in body:
        is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not (is_docstring or _is_future(statement)):
            break
        last = statement
    if last is None:
        return source.offset(_first_line(body[0]), 0) if body else 0
    return _line_after(source, last)


def _first_line(statement: ast.stmt) -> int:
    """Where a statement begins: decorators stand before the line that a definition counts from."""
    return min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
