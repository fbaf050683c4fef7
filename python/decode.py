"""Reads the loader's output back: a small model of what a decoder does, for the tests.

    cfg = decode(output["config"])
    cfg.set("aux.dim", 5)
    text = json.dumps(cfg.to_json())        # as Kauldron writes it, references followed
"""

import operator

from kd_loader.config_dict import decode_key, num_args
from kd_loader.kontext_api import split_path

_OPS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}
_UNARY = {"-": operator.neg, "abs": abs, "int": int, "float": float, "str": str}
_TYPES = {"bool": bool, "int": int, "float": float, "str": str, "list": list, "tuple": tuple}


class Cell:
    def __init__(self):
        self.value, self.type, self.required = None, "object", False


class Expr:
    def __init__(self, form):
        self.form = form


class Node:
    """One node; equal numbers in the text are one Node."""

    def __init__(self):
        self.fields = {}

    def __getitem__(self, key):
        if isinstance(key, int) and "__qualname__" in self.fields:
            key = str(key + num_args(self.fields) if key < 0 else key)
        return self.fields[key]


def _cast(old, new):
    kind = old if isinstance(old, type) else type(old)
    if kind is float and isinstance(new, int):
        return float(new)
    if kind in (list, tuple) and isinstance(new, (list, tuple)):
        return kind(new)
    return new


class Decoder:
    def __init__(self, data):
        self._nodes, self._cells = {}, {}
        self.root = self._value(data)

    # ---- From the text.
    def _value(self, data):
        if isinstance(data, list):
            return [self._value(v) for v in data]
        if not isinstance(data, dict):
            return data
        for tag, kind in (("__tuple__", tuple), ("__set__", set), ("__frozenset__", frozenset)):
            if tag in data:
                return kind(self._value(v) for v in data[tag])
        if "__ref__" in data:
            return Expr(data["__ref__"])
        if "__placeholder__" in data:
            return self._placeholder(data["__placeholder__"])
        if "__bytes__" in data:
            return data["__bytes__"].encode("latin-1")
        if "__ellipsis__" in data:
            return Ellipsis
        if "__slice__" in data:
            return slice(*data["__slice__"])
        if "__path__" in data:
            return data["__path__"]
        number = data.get("__id__")
        if number is not None and number in self._nodes and self._nodes[number].fields:
            return self._nodes[number]
        node = self._node(number)
        pairs = data["__dict__"] if "__dict__" in data else data.items()
        for key, value in pairs:
            if key != "__id__":
                node.fields[decode_key(key)] = self._value(value)
        return node

    def _node(self, number):
        return Node() if number is None else self._nodes.setdefault(number, Node())

    def _placeholder(self, data):
        number = data.get("cell")
        if number is not None and number in self._cells:
            return self._cells[number]
        cell = Cell()
        if number is not None:
            self._cells[number] = cell
        cell.type, cell.required = data["type"], data["required"]
        cell.value = self._value(data["default"])
        return cell

    # ---- Reading.
    def read(self, value):
        if isinstance(value, Cell):
            if value.required and value.value is None:
                raise ValueError("a required value is not set")
            return self.read(value.value)
        return self.read(self.evaluate(value.form)) if isinstance(value, Expr) else value

    def _item(self, value, key):
        return self.read(self.read(value)[key])

    def evaluate(self, form):
        if not isinstance(form, list):
            return self._value(form)
        head, *rest = form
        if head in ("const", "value"):
            return self._value(rest[0])
        if head in ("path", "node"):
            value = self.root if head == "path" else self._nodes[rest.pop(0)]
            for key in rest:
                value = self._item(value, key)
            return value
        if head == "cell":
            return self.read(self._cells[rest[0]])
        if head == "error":
            raise ValueError(rest[0])
        if head == "method":
            base, name, *args = rest
            return getattr(self.evaluate(base), name)(*[self.evaluate(a) for a in args])
        skip_none = head.endswith("?")
        head = head.rstrip("?")
        if head == "item":
            return self._item(self.evaluate(rest[0]), self.evaluate(rest[1]))
        values = [self.read(self.evaluate(v)) for v in rest[1:]]
        if skip_none and None in values:
            return None
        return (_UNARY if head == "unary" else _OPS)[rest[0]](*values)

    # ---- Overriding.
    def set(self, path, value):
        *parents, last = split_path(path)
        target = self.root
        for key in parents:
            target = self._item(target, key)
        if isinstance(value, dict):
            value = self._value(value)
        if isinstance(target, list):
            target[int(last)] = value
            return
        if isinstance(last, int) and "__qualname__" in target.fields:
            last = str(last if last >= 0 else last + num_args(target.fields))
        old = target.fields.get(last)
        if isinstance(old, Cell):
            old.value = _cast(_TYPES.get(old.type, object), value)
        else:
            target.fields[last] = value if isinstance(old, Expr) else _cast(old, value)

    # ---- As Kauldron writes it.
    def to_json(self, value=None):
        return _Writer(self).write(self.root if value is None else value)


class _Writer:
    def __init__(self, decoder):
        self._decoder, self._seen, self._next = decoder, {}, 0

    def write(self, value):
        value = self._decoder.read(value)
        if isinstance(value, (list, tuple)):
            if id(value) not in self._seen:
                self._seen[id(value)] = [self.write(v) for v in value]
            return self._seen[id(value)]
        if not isinstance(value, Node):
            if value is None or isinstance(value, (int, float, str)):
                return value
            raise TypeError("%r is not JSON serializable." % (value,))
        if id(value) in self._seen:
            out = self._seen[id(value)]
            if "__id__" not in out:
                out["__id__"] = self._next
                self._next += 1
            return out
        out = {}
        for key, child in value.fields.items():
            name = key if isinstance(key, str) else "__raw__=%r" % (key,)
            out[name] = self.write(child)
        self._seen[id(value)] = out
        return out


def decode(data):
    return Decoder(data)
