"""One class: header, members, and the attributes that its methods assign."""

from __future__ import annotations

import ast
import re
from functools import cached_property
from typing import TYPE_CHECKING

from driftcheck.index.functions import FunctionDef, _parse_header, only_stores
from driftcheck.index.nodes import nodes_of
from driftcheck.index.outline import Item
from driftcheck.index.source import SourceFault

if TYPE_CHECKING:
    from driftcheck.index.module import Binding, Module

# Both begin with the word itself, by which the text is searched fast; what stands before it is looked at after.
_SELF_STORE = re.compile(r"self\s*\.\s*([^\W\d]\w*)\s*(?::[^=\n]+)?(?:=(?!=)|:(?!=))")
_SELF_STORES = re.compile(r"self\s*\.\s*[^\W\d]\w*(?:\s*,\s*self\s*\.\s*[^\W\d]\w*)+\s*\)?\s*=(?!=)")
_SELF_NAME = re.compile(r"\.\s*([^\W\d]\w*)")
_BEFORE_TARGETS = re.compile(r"(?:^|\n|;)[ \t]*\(?\s*\Z")
_NAMED = r"\s*[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*\s*"
_PLAIN_BASES = re.compile(rf"\bclass\s+\w+\s*(?:\(((?:{_NAMED},)*(?:{_NAMED})?\s*)\)\s*)?:")
_SETATTR = re.compile(r"\bsetattr\(\s*(\w+)\s*,\s*(?:([\"'])(\w+)\2)?")


class ClassDef:
    """A ``class`` found in an outline. Members are read from its body's outline."""

    def __init__(self, module: Module, item: Item, owner: ClassDef | FunctionDef | None = None) -> None:
        self.module = module
        self.item = item
        self.owner = owner
        self.name = item.name or "<class>"

    def __repr__(self) -> str:
        return f"<ClassDef {self.qualname}>"

    @cached_property
    def qualname(self) -> str:
        prefix = self.owner.qualname if self.owner else self.module.name
        return f"{prefix}.{self.name}"

    @cached_property
    def header(self) -> ast.ClassDef:
        """Decorators, bases and keywords, with an empty body; raises SourceFault."""
        piece = Item(
            "class", self.name, self.item.start, self.item.header_end(), self.item.indent, self.item.blank
        )
        parsed = _parse_header(self.module.source, piece, self.module.source.text)
        assert isinstance(parsed, ast.ClassDef)
        return parsed

    @cached_property
    def bases(self) -> list[ast.expr]:
        """The expressions of the list of bases; raises SourceFault. Plain names are read without a parse."""
        match = _PLAIN_BASES.search(self.item.blank, self.item.start, self.item.header_end())
        if match is None:
            return self.header.bases
        return [_dotted(piece) for piece in (match[1] or "").split(",") if piece.strip()]

    @property
    def line(self) -> int:
        return self.header.lineno

    @cached_property
    def text(self) -> str:
        return self.module.source.text[self.item.start : self.item.end]

    @cached_property
    def members(self) -> dict[str, list[Binding]]:
        """Names bound in the class body, in order."""
        from driftcheck.index.module import scan_suite

        body = self.item.body()
        found: dict[str, list[Binding]] = {}
        if body is None:
            return found
        for binding in scan_suite(self.module.source, body, (), self.module.absolute):
            found.setdefault(binding.name, []).append(binding)
        return found

    def method(self, name: str) -> FunctionDef | None:
        """The last ``def`` of that name in the body, overloads and property setters passed over."""
        for binding in reversed(self.members.get(name, ())):
            if binding.kind == "def":
                function = self.module.function_of(binding, self)
                if not is_variant(function):
                    return function
        return None

    def methods(self) -> list[FunctionDef]:
        """Every ``def`` of the body."""
        return [
            self.module.function_of(binding, self)
            for group in self.members.values()
            for binding in group
            if binding.kind == "def"
        ]

    @cached_property
    def _blank(self) -> str:
        return self.item.blank[self.item.start : self.item.end]

    @cached_property
    def simply_assigned(self) -> frozenset[str]:
        """Attributes assigned as ``self.x = …`` or ``self.x, self.y = …``, or annotated, somewhere in the body."""
        blank = self._blank
        found = {m[1] for m in _SELF_STORE.finditer(blank) if not _is_word_at(blank, m.start() - 1)}
        for match in _SELF_STORES.finditer(blank):
            if _BEFORE_TARGETS.search(blank, max(match.start() - 80, 0), match.start()):
                found.update(_SELF_NAME.findall(match[0]))
        return frozenset(found)

    def assigns(self, name: str) -> bool:
        """Whether some method assigns ``self.<name>`` in whatever form; parses only where the text allows it."""
        known: dict[str, bool] = self.__dict__.setdefault("_assigns", {})
        if name not in known:
            known[name] = self._assigns_now(name)
        return known[name]

    def _assigns_now(self, name: str) -> bool:
        if name in self.simply_assigned:
            return True
        if name not in self.text:
            return False
        if name in self.slots:
            return True
        return any(function.assigns(name) for function in self.methods())

    @cached_property
    def slots(self) -> frozenset[str]:
        for binding in self.members.get("__slots__", ()):
            try:
                statement = self.module.source.parse(binding.item)
            except SourceFault:
                continue
            return frozenset(
                n.value
                for n in nodes_of(statement)
                if isinstance(n, ast.Constant) and isinstance(n.value, str)
            )
        return frozenset()

    @cached_property
    def is_open(self) -> bool:
        """Whether instances get attributes that no text names (``__getattr__``, dynamic ``setattr``)."""
        if "__getattr__" in self.members or "__getattribute__" in self.members:
            return True
        text = self.text
        if "__dict__" in text and re.search(r"__dict__\s*(?:\.update|\[|=|\|=)", text):
            return True
        if "vars(self)" in text:
            return True
        return "setattr(" in text and any(
            match.group(3) is None and match.group(1) == "self" for match in _SETATTR.finditer(text)
        )


def _dotted(text: str) -> ast.expr:
    """The expression of a name with dots."""
    place = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
    first, *rest = (part.strip() for part in text.split("."))
    node: ast.expr = ast.Name(first, ast.Load(), **place)
    for name in rest:
        node = ast.Attribute(node, name, ast.Load(), **place)
    return node


def _is_word_at(text: str, at: int) -> bool:
    return at >= 0 and (text[at].isalnum() or text[at] == "_")


def is_variant(function: FunctionDef) -> bool:
    """Whether a ``def`` only adds to another of its name: an overload, a property's setter."""
    for decorator in function.decorators:
        match decorator:
            case ast.Name(id="overload") | ast.Attribute(attr="overload"):
                return True
    return only_stores(function)
