"""A config as JSON that keeps its references. README.md describes the form."""

import os

from kd_loader.config_dict import ConfigDict
from kd_loader.errors import LoaderError, with_fix
from kd_loader.kauldron_json import encode_key
from kd_loader.normalise import normalise, settle, shorten
from kd_loader.proxies import ProxyUnion
from kd_loader.references import FieldReference, Ref, path_text

# Methods of text and lists that a reference may call later; others are called once, now.
METHODS = frozenset("upper lower strip split join replace startswith endswith index count".split())
TAGS = frozenset(
    "__ref__ __placeholder__ __tuple__ __set__ __frozenset__ __bytes__ __ellipsis__ __slice__"
    " __path__ __union__ __dict__".split()
)
_TYPES = {bool: "bool", int: "int", float: "float", str: "str", list: "list", tuple: "tuple",
          dict: "dict", ConfigDict: "dict"}


class Encoder:
    """Writes one value. `root` is the node that paths of references start from, if any."""

    def __init__(self, root=None, keep_locations=False):
        self.warnings = []
        self.locations = {} if keep_locations else None
        self._root = root
        self._visits = {}  # id(node) -> how often it is reached
        self._uses = {}  # id(reference) -> in how many fields it stands
        self._operands = set()  # ids of cells that expressions read
        self._todo = []  # references found, not yet looked at
        self._values = {}  # id(reference) -> value taken now, for what cannot travel
        self._failed = {}  # id(reference) -> text of the error
        self._targets = set()  # ids of nodes that references start from
        self._ids, self._cells = {}, {}
        self._keep = []
        self._open = set()  # nodes being surveyed

    def encode(self, value):
        settle(value, ConfigDict)
        self._survey(value)
        while self._todo:
            self._prepare(self._todo.pop(0))
        return self._write(value, ())

    # ---- First pass: what is shared, and which references must be evaluated now.
    def _survey(self, value):
        if isinstance(value, ConfigDict):
            self._keep.append(value)
            if id(value) in self._open:
                raise with_fix(
                    LoaderError("a config node contains itself: %s" % value._where),
                    "store a copy (copy.deepcopy) or a reference (cfg.ref...) instead",
                )
            self._visits[id(value)] = self._visits.get(id(value), 0) + 1
            if self._visits[id(value)] == 1:
                self._open.add(id(value))
                for child in value._fields.values():
                    self._survey(child)
                self._open.discard(id(value))
        elif isinstance(value, (list, tuple)):
            for child in value:
                self._survey(child)
        elif isinstance(value, FieldReference):
            self._keep.append(value)
            self._uses[id(value)] = self._uses.get(id(value), 0) + 1
            if self._uses[id(value)] == 1:
                if _is_cell(value):
                    self._survey_cell(value)
                else:
                    self._todo.append(value)

    def _survey_cell(self, cell):
        inner = cell._value
        if isinstance(inner, FieldReference):
            self._keep.append(inner)
            self._operand(inner)
        else:
            self._survey(inner)

    def _operand(self, value):
        """Something an expression reads."""
        if not isinstance(value, FieldReference):
            self._survey(value)
        elif _is_cell(value):
            if id(value) not in self._operands:
                self._operands.add(id(value))
                self._keep.append(value)
                if id(value) not in self._uses:
                    self._survey_cell(value)
        else:
            self._todo.append(value)

    def _prepare(self, ref):
        if id(ref) in self._values or id(ref) in self._failed:
            return
        self._keep.append(ref)
        if self._is_opaque(ref):
            self._evaluate(ref)
            return
        while isinstance(ref, FieldReference) and not _is_cell(ref):
            for op in ref._ops:
                for arg in op.args:
                    self._operand(arg)
            if not ref._ops:
                break
            ref = ref._value
        if isinstance(ref, FieldReference) and _is_cell(ref):
            self._operand(ref)
        elif isinstance(ref, FieldReference) and ref._value is not self._root:
            self._targets.add(id(ref._value))

    def _evaluate(self, ref):
        try:
            value = normalise(ref.get(), "(reference)", ConfigDict, {})
            self._survey(value)
            self._values[id(ref)] = value
        except RecursionError:
            raise
        except Exception as e:
            self._failed[id(ref)] = "%s: %s" % (type(e).__name__, e)

    def _is_opaque(self, ref):
        """Whether some step of the expression cannot be written down."""
        if _is_cell(ref):
            return False
        if not ref._ops:
            return isinstance(ref._value, ConfigDict) and id(ref._value) not in self._visits
        inner, (op,) = ref._value, ref._ops
        if op.kind == "fn":
            return True
        if op.kind == "call":
            is_method = isinstance(inner, FieldReference) and inner._ops
            is_method = is_method and inner._ops[0].kind == "attr"
            if not is_method or op.keywords or inner._ops[0].name not in METHODS:
                return True
            if isinstance(_try_get(inner._value), ConfigDict):
                return True
            return self._is_opaque(inner._value)
        if op.kind == "attr":
            base = _try_get(inner)
            if isinstance(base, ConfigDict):
                if op.name not in base and hasattr(ConfigDict, op.name):
                    return True
            elif base is not None:
                return True
        return self._is_opaque(inner)

    # ---- Second pass: the JSON.
    def _write(self, value, path):
        if isinstance(value, ConfigDict):
            return self._node(value, path)
        if isinstance(value, FieldReference):
            return self._reference(value, path)
        if isinstance(value, list):
            return [self._write(v, path + (i,)) for i, v in enumerate(value)]
        if isinstance(value, tuple):
            return {"__tuple__": [self._write(v, path + (i,)) for i, v in enumerate(value)]}
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            return float(value)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, (set, frozenset)):
            tag = "__set__" if isinstance(value, set) else "__frozenset__"
            items = sorted(value, key=lambda v: (type(v).__name__, repr(v)))
            return {tag: [self._write(v, path) for v in items]}
        if isinstance(value, bytes):
            return {"__bytes__": value.decode("latin-1")}
        if value is Ellipsis:
            return {"__ellipsis__": True}
        if isinstance(value, slice):
            return {"__slice__": [value.start, value.stop, value.step]}
        if isinstance(value, os.PathLike):
            return {"__path__": os.fspath(value)}
        if isinstance(value, ProxyUnion):
            sides = (normalise(v, "", ConfigDict, {}) for v in (value.left, value.right))
            return {"__union__": [self._write(v, path) for v in sides]}
        raise LoaderError("cfg.%s: cannot be written: %s" % (_dotted(path), shorten(value)))

    def _node(self, node, path):
        if self.locations is not None and node._where and "__qualname__" in node:
            self.locations.setdefault(_dotted(path), node._where)
        pairs = [(encode_key(k), self._write(v, path + (k,))) for k, v in node._fields.items()]
        out = dict(pairs)
        if not TAGS.isdisjoint(out):
            out = {"__dict__": [list(pair) for pair in pairs]}
        if self._visits.get(id(node), 0) > 1 or id(node) in self._targets:
            out["__id__"] = self._ids.setdefault(id(node), len(self._ids))
        return out

    def _number(self, ref):
        return self._cells.setdefault(id(ref), len(self._cells))

    def _is_shared(self, ref):
        return self._uses.get(id(ref), 0) > 1 or (
            id(ref) in self._operands and id(ref) in self._uses
        )

    def _reference(self, ref, path):
        if _is_cell(ref):
            return self._cell(ref, path)
        if id(ref) in self._values:
            self._warn(ref, path)
            value = self._values[id(ref)]
            out = self._write(value, path)
            return {"__ref__": ["value", out]} if _is_plain(value) else out
        if id(ref) in self._failed:
            self._warn(ref, path)
            return {"__ref__": ["error", self._failed[id(ref)]]}
        out = {"__ref__": self._expr(ref, path)}
        if self._uses.get(id(ref), 0) > 1:
            out["cell"] = self._number(ref)
        return out

    def _cell(self, cell, path):
        inner, required, shared = cell._value, cell._required, self._is_shared(cell)
        while isinstance(inner, FieldReference) and _is_cell(inner) and not self._is_shared(inner):
            inner, required = inner._value, inner._required
        if isinstance(inner, FieldReference):
            default = {"__ref__": self._expr(inner, path)}
            if cell._field_type is object and not shared:
                return default
        else:
            default = self._write(inner, path)
        out = {"type": _TYPES.get(cell._field_type, "object"), "required": bool(required),
               "default": default}
        if shared:
            out["cell"] = self._number(cell)
        return {"__placeholder__": out}

    def _expr(self, value, path):
        """An expression: an array; anything else is a constant."""
        if not isinstance(value, FieldReference):
            out = self._write(value, path)
            return ["const", out] if isinstance(out, list) else out
        if id(value) in self._values:
            self._warn(value, path)
            return self._expr(self._values[id(value)], path)
        if id(value) in self._failed:
            return ["error", self._failed[id(value)]]
        if _is_cell(value):
            if id(value) in self._uses:
                return ["cell", self._number(value)]
            return self._expr(value._value, path)
        if not value._ops:
            if value._value is self._root:
                return ["path"]
            node = value._value
            return ["node", self._ids.setdefault(id(node), len(self._ids))]
        return self._step(value, path)

    def _step(self, ref, path):
        (op,) = ref._ops
        if op.kind == "call":
            base = self._expr(ref._value._value, path)
            args = [self._expr(a, path) for a in op.args]
            return ["method", base, ref._value._ops[0].name, *args]
        base = self._expr(ref._value, path)
        if op.kind == "identity":
            return base
        if op.kind in ("attr", "item"):
            key = op.name if op.kind == "attr" else op.args[0]
            plain = isinstance(key, (str, int)) and not isinstance(key, bool)
            if plain and isinstance(base, list) and base[0] in ("path", "node"):
                return base + [key]
            return ["item", base, self._expr(key, path)]
        lazy = "?" if ref._none_stays_none else ""
        if op.kind in ("unary", "cast"):
            return ["unary" + lazy, op.name, base]
        other = self._expr(op.args[0], path)
        sides = [other, base] if op.kind == "reflected" else [base, other]
        return ["op" + lazy, op.name, *sides]

    # ---- Notes about what did not survive.
    def _warn(self, ref, path):
        where = "cfg.%s" % _dotted(path)
        names = [op.name for op in _all_ops(ref) if op.kind == "fn"]
        reads = sorted({path_text(a) for op in _all_ops(ref) for a in op.args
                        if isinstance(a, Ref)})
        if id(ref) in self._failed:
            text = "%s: cannot be computed now: %s" % (where, self._failed[id(ref)])
        elif names:
            text = "%s: %s() was called once; later overrides do not reach it" % (where, names[0])
        else:
            text = "%s: the reference was replaced by its value" % where
        note = {"path": _dotted(path), "message": text, "reads": reads}
        if note not in self.warnings:
            self.warnings.append(note)


def _is_plain(value):
    """Whether there are only numbers and texts in it, no nodes that others could refer to."""
    if isinstance(value, (list, tuple)):
        return all(_is_plain(v) for v in value)
    return value is None or isinstance(value, (bool, int, float, str))


def _is_cell(ref):
    return not ref._ops and (ref._written or not isinstance(ref, Ref))


def _all_ops(ref):
    while isinstance(ref, FieldReference):
        yield from ref._ops
        ref = ref._value


def _try_get(ref):
    try:
        return ref.get() if isinstance(ref, FieldReference) else ref
    except Exception:
        return None


def _dotted(path):
    out = ""
    for key in path:
        is_name = isinstance(key, str) and key.isidentifier()
        out += (".%s" if out else "%s") % key if is_name else "[%r]" % (key,)
    return out
