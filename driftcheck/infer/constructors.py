"""How a class is constructed: ``__init__``, or the signature that its fields make."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from driftcheck.index.classes import ClassDef
from driftcheck.index.functions import Parameter
from driftcheck.index.module import Binding, Module
from driftcheck.index.nodes import nodes_of
from driftcheck.index.source import SourceFault
from driftcheck.infer.callables import decorator_effect, signature_of
from driftcheck.infer.facts import BaseFact
from driftcheck.infer.hierarchy import class_members, mro
from driftcheck.infer.signatures import Signature
from driftcheck.infer.values import ClassValue, External, FunctionValue, Instance
from driftcheck.infer.world import World


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a class whose constructor its annotations make.

    ``default`` is the expression of its default (of its factory where ``factory``), None without one.
    """

    name: str
    annotation: ast.expr
    owner: ClassDef
    line: int
    default: ast.expr | None = None
    factory: bool = False
    init: bool = True
    keyword_only: bool = False
    init_var: bool = False
    class_var: bool = False
    alias: str | None = None

    @property
    def has_default(self) -> bool:
        return self.default is not None or self.factory


@dataclass(frozen=True, slots=True)
class Style:
    """How one class's fields become parameters."""

    positional: bool
    keyword_only: bool = False
    silent_extra: bool = False
    allow_extra: bool = False
    skip_private: bool = False


def constructor(world: World, cls: ClassDef) -> Signature | None:
    """The signature of calling the class; None where it is not known."""
    return world.remember(("constructor", cls), lambda: _readable(world, cls), None)


def _readable(world: World, cls: ClassDef) -> Signature | None:
    try:
        return _constructor(world, cls)
    except SourceFault:
        return None


def _constructor(world: World, cls: ClassDef) -> Signature | None:
    line = mro(world, cls)
    if any(isinstance(c, External) and c.path.startswith("enum.") for c in line.order):
        return None
    if _blocked(world, cls):
        return None
    for owner in line.order:
        if isinstance(owner, External):
            fact = world.facts.bases.get(owner.path)
            if fact is None or fact.constructor != "inherited":
                return None
            continue
        if _blocked(world, owner):
            return None
        if class_members(world, owner, "__init__"):
            return _from_init(world, cls, owner)
        if class_members(world, owner, "__new__") and not _passes_through(owner):
            return None
        if field_style(world, owner) is not None:
            return field_signature(world, cls, owner)
    if not line.complete:
        return None
    return Signature((), path=cls.module.path, line=cls.line, symbol=cls.qualname)


def _passes_through(owner: ClassDef) -> bool:
    """Whether ``__new__`` takes anything, so that ``__init__`` alone decides."""
    function = owner.method("__new__")
    if function is None:
        return False
    kinds = {p.kind for p in function.parameters}
    return {"var_positional", "var_keyword"} <= kinds


def _blocked(world: World, owner: ClassDef) -> bool:
    """Whether something between the class and its callers may change how it is called."""
    for keyword in owner.header.keywords:
        if keyword.arg == "metaclass":
            match keyword.value:
                case ast.Name(id="ABCMeta") | ast.Attribute(attr="ABCMeta"):
                    continue
            return True
    return any(decorator_effect(world, owner.module, d) == "unknown" for d in owner.header.decorator_list)


def _from_init(world: World, cls: ClassDef, owner: ClassDef) -> Signature | None:
    function = owner.method("__init__")
    if function is None:
        return None
    signature = signature_of(world, FunctionValue(function, Instance(ClassValue(cls), True)))
    return replace(signature, symbol=owner.qualname + ".__init__") if signature else None


def field_style(world: World, owner: ClassDef) -> Style | None:
    """How the annotations of a class become its constructor; None where they do not."""
    for decorator in owner.header.decorator_list:
        if decorator_effect(world, owner.module, decorator) == "dataclass":
            return _decorator_style(world, owner, decorator)
    for base in mro(world, owner).order:
        if isinstance(base, External):
            fact = world.facts.bases.get(base.path)
            if fact is not None and fact.constructor == "fields":
                return _base_style(world, owner, fact)
    return None


def _decorator_style(world: World, owner: ClassDef, decorator: ast.expr) -> Style | None:
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    values = {k.arg: k.value for k in keywords}
    init = values.get("init")
    if isinstance(init, ast.Constant) and init.value is False:
        return None
    keyword_only = _is_true(values.get("kw_only"))
    extra = _extra_of(world, owner)
    return Style(True, keyword_only, extra == "ignore", extra == "allow")


def _extra_of(world: World, owner: ClassDef) -> str:
    """What a dataclass does with unknown keywords: the plain ones forbid, pydantic's ignore by default.

    A library's own decorator is read for an ``extra=`` that it always passes.
    """
    found: set[str] = set()
    kinds: set[str] = set()
    for decorator in owner.header.decorator_list:
        _scan_extra(world, owner.module, decorator, found, kinds, 0)
    if found:
        return found.pop() if len(found) == 1 else "allow"
    return "ignore" if "pydantic.dataclasses.dataclass" in kinds else "forbid"


def _scan_extra(
    world: World, module: Module, node: ast.expr, found: set[str], kinds: set[str], depth: int
) -> None:
    from driftcheck.infer.evaluator import Evaluator

    _extra_literals(node, found)
    target = node.func if isinstance(node, ast.Call) else node
    value = Evaluator(world, world.module_scope(module)).eval(target)
    if isinstance(value, External):
        kinds.add(value.path)
    elif isinstance(value, FunctionValue) and depth < 3:
        function = value.definition
        try:
            body = function.node
        except SourceFault:
            return
        _extra_literals(body, found)
        for inner in nodes_of(body):
            if isinstance(inner, ast.Call) and isinstance(inner.func, (ast.Name, ast.Attribute)):
                name = inner.func.id if isinstance(inner.func, ast.Name) else inner.func.attr
                if name == "dataclass":
                    _scan_extra(world, function.module, inner.func, found, kinds, depth + 1)


def _extra_literals(node: ast.AST, found: set[str]) -> None:
    for inner in nodes_of(node):
        match inner:
            case ast.keyword(arg="extra", value=ast.Constant(value=str(extra))):
                found.add(extra)
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if (
                        isinstance(key, ast.Constant)
                        and key.value == "extra"
                        and isinstance(value, ast.Constant)
                    ):
                        found.add(str(value.value))


def _base_style(world: World, owner: ClassDef, fact: BaseFact) -> Style:
    keyword_only = not fact.positional
    extra: str = fact.extra
    for cls in mro(world, owner).order:
        if not isinstance(cls, ClassDef):
            continue
        for keyword in cls.header.keywords:
            if keyword.arg == "extra" and isinstance(keyword.value, ast.Constant):
                extra = str(keyword.value.value)
        found: set[str] = set()
        for binding in cls.members.get("model_config", ()):
            _extra_literals(cls.module.source.parse(binding.item), found)
        if found:
            extra = found.pop()
            break
    own = {k.arg: k.value for k in owner.header.keywords}
    return Style(
        fact.positional and not _is_true(own.get("kw_only")),
        keyword_only or _is_true(own.get("kw_only")),
        False,
        extra in ("allow", "ignore"),
        not fact.positional,
    )


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def fields_of(world: World, cls: ClassDef) -> list[Field]:
    """Every field of a class whose annotations make its constructor, bases first, in parameter order."""
    return world.remember(("fields", cls), lambda: _fields_of(world, cls), [])


def _fields_of(world: World, cls: ClassDef) -> list[Field]:
    collected: dict[str, Field] = {}
    for owner in reversed(mro(world, cls).order):
        if isinstance(owner, ClassDef):
            style = field_style(world, owner)
            if style is not None:
                for found in _own_fields(world, owner, style):
                    collected[found.name] = found
    return list(collected.values())


def _own_fields(world: World, owner: ClassDef, style: Style) -> list[Field]:
    found: list[Field] = []
    keyword_only = style.keyword_only
    for group in owner.members.values():
        for binding in group:
            if binding.kind != "value":
                continue
            try:
                statement = owner.module.source.parse(binding.item)
            except (SourceFault, IndexError):
                continue
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                continue
            if _annotation_head(statement.annotation) == "KW_ONLY":
                keyword_only = True
                continue
            if style.skip_private and binding.name.startswith("_"):
                continue
            found.append(_field(world, owner, binding, statement, keyword_only))
    found.sort(key=lambda f: f.line)
    return found


def _annotation_head(annotation: ast.expr) -> str:
    match annotation:
        case ast.Constant(value=str(text)):
            return text.partition("[")[0].rpartition(".")[2].strip()
        case ast.Subscript(value=value):
            return _annotation_head(value)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _field(
    world: World, owner: ClassDef, binding: Binding, statement: ast.AnnAssign, keyword_only: bool
) -> Field:
    head = _annotation_head(statement.annotation)
    line = statement.lineno
    plain = Field(
        binding.name, statement.annotation, owner, line, keyword_only=keyword_only,
        init_var=head == "InitVar", class_var=head == "ClassVar", init=head != "ClassVar",
    )  # fmt: skip
    value = statement.value
    if value is None:
        return _annotated_field(world, plain)
    if isinstance(value, ast.Call) and _is_specifier(world, owner, value.func):
        return _specified(plain, value)
    return replace(plain, default=value)


def _is_specifier(world: World, owner: ClassDef, func: ast.expr) -> bool:
    from driftcheck.infer.evaluator import Evaluator

    value = Evaluator(world, world.module_scope(owner.module)).eval(func)
    return isinstance(value, External) and value.path in world.facts.fields


def _annotated_field(world: World, plain: Field) -> Field:
    """``x: Annotated[T, Field(default=…)]``."""
    if isinstance(plain.annotation, ast.Subscript) and isinstance(plain.annotation.slice, ast.Tuple):
        for extra in plain.annotation.slice.elts[1:]:
            if isinstance(extra, ast.Call) and _is_specifier(world, plain.owner, extra.func):
                specified = _specified(plain, extra)
                return replace(specified, default=specified.default)
    return plain


def _specified(plain: Field, call: ast.Call) -> Field:
    values = {k.arg: k.value for k in call.keywords}
    default = values.get("default", call.args[0] if call.args else None)
    if isinstance(default, ast.Constant) and default.value is ...:
        default = None
    if isinstance(default, ast.Name) and default.id in ("MISSING", "PydanticUndefined"):
        default = None
    factory = values.get("default_factory")
    init = values.get("init")
    alias = values.get("validation_alias") or values.get("alias")
    name = alias.value if isinstance(alias, ast.Constant) and isinstance(alias.value, str) else None
    return replace(
        plain,
        default=default if factory is None else factory,
        factory=factory is not None,
        init=plain.init and not (isinstance(init, ast.Constant) and init.value is False),
        keyword_only=plain.keyword_only or _is_true(values.get("kw_only")),
        alias=name,
    )


def field_signature(world: World, cls: ClassDef, owner: ClassDef) -> Signature:
    """The constructor that the fields of ``owner`` and its bases make."""
    style = field_style(world, owner)
    assert style is not None
    plain: list[Parameter] = []
    keyword: list[Parameter] = []
    accepts: set[str] = set()
    for found in fields_of(world, owner):
        if not found.init:
            continue
        only = found.keyword_only or (style.keyword_only and not style.positional)
        parameter = Parameter(
            found.name,
            "keyword" if only else "ordinary",
            found.default,
            found.annotation,
            found.has_default,
            found.line,
        )
        if found.alias:
            accepts.add(found.alias)
            if parameter.required:
                parameter = replace(parameter, has_default=True)
        (keyword if only else plain).append(parameter)
    return Signature(
        tuple(plain + keyword),
        frozenset(accepts),
        style.allow_extra,
        False,
        owner.module.path,
        owner.line,
        owner.qualname,
        silent_extra=style.silent_extra,
    )
