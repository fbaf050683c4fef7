"""The arguments of `get_config`: a text, or a ConfigArgs dataclass filled from text and flags."""

import ast
import dataclasses
import difflib
import json
import re

from kd_loader.errors import ArgumentError, LoaderError, with_fix

_KINDS = {"int": int, "float": float, "str": str, "bool": bool, "tuple": tuple, "list": list,
          "dict": dict}
MISSING = dataclasses.MISSING


def decode_json(value):
    """Values of the output form that JSON lacks, back as Python objects."""
    if isinstance(value, list):
        return [decode_json(v) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        tag, inner = next(iter(value.items()))
        if tag == "__tuple__":
            return tuple(decode_json(v) for v in inner)
        if tag in ("__set__", "__frozenset__"):
            return (set if tag == "__set__" else frozenset)(decode_json(v) for v in inner)
        if tag == "__bytes__":
            return inner.encode("latin-1")
        if tag == "__ellipsis__":
            return Ellipsis
        if tag == "__slice__":
            return slice(*inner)
    return {k: decode_json(v) for k, v in value.items()}


def parse_value(text):
    """JSON, else a Python literal, else the text itself."""
    try:
        return decode_json(json.loads(text))
    except ValueError:
        pass
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError):
        return text


class Raw:
    """A value with the text it was written as."""

    def __init__(self, value, text):
        self.value, self.text = value, text


def parse_assignments(items):
    """['size=3', 'a.b=1'] as a dict of Raw; dotted names make nested dicts."""
    out = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals or not name:
            raise with_fix(LoaderError("--arg %s: expected name=value" % item), "write name=value")
        first, *rest = name.split(".")
        if not rest:
            out[first] = Raw(parse_value(text), text)
            continue
        known = out.get(first)
        target = known.value if known is not None and isinstance(known.value, dict) else {}
        out[first] = Raw(target, text)
        for key in rest[:-1]:
            target = target.setdefault(key, {})
        target[rest[-1]] = parse_value(text)
    return out


def _parse_text(text):
    """'a=1,b=(2,3)' as a dict of Raw."""
    starts = list(re.finditer(r"(?:^|,)\s*([A-Za-z_]\w*)\s*=(?!=)", text))
    starts = [m for m in starts if _is_outside(text[: m.start()])]
    if not starts or text[: starts[0].start()].strip():
        raise with_fix(
            ArgumentError("cannot read the arguments %r" % text), "write name=value,name2=value2"
        )
    ends = [m.start() for m in starts[1:]] + [len(text)]
    out = {}
    for match, end in zip(starts, ends):
        raw = text[match.end():end].strip()
        raw = raw[:-1].rstrip() if raw.endswith(",") else raw
        out[match.group(1)] = Raw(parse_value(raw), raw)
    return out


def _is_outside(prefix):
    """Whether the end of `prefix` is outside brackets and quotes."""
    depth, quote = 0, ""
    for c in prefix:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
    return depth <= 0 and not quote


def _kind_of(field):
    """The plain type of a dataclass field, or None when it is not certain."""
    declared = field.type
    if isinstance(declared, type) and declared in _KINDS.values():
        return declared
    text = declared if isinstance(declared, str) else str(declared).replace("typing.", "")
    match = re.fullmatch(r"(\w+)(\[.*\])?", text)
    name = match.group(1).lower() if match else ""
    return _KINDS.get(name)


def _convert(field, raw):
    """The value for this field, converted where its declared type leaves no doubt."""
    kind, value = _kind_of(field), raw.value
    if kind is None or value is None or isinstance(value, kind):
        return value
    if kind is str and isinstance(value, (int, float)):
        return raw.text
    if kind is float and isinstance(value, int):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind is bool and value in (0, 1):
        return bool(value)
    if kind in (tuple, list) and isinstance(value, (tuple, list)):
        return kind(value)
    raise with_fix(
        ArgumentError(
            "ConfigArgs.%s: expected %s, got %r" % (field.name, kind.__name__, value)
        ),
        "give a value of type %s, e.g. %s=%r" % (kind.__name__, field.name, _example(field, kind)),
    )


def _example(field, kind):
    return field.default if field.default is not MISSING else kind()


def build_args(cls, text, given):
    """A ConfigArgs from the text after ':' and from `given` (which wins)."""
    values = dict(_parse_text(text)) if text.strip() else {}
    values.update(given)
    if not dataclasses.is_dataclass(cls):
        return cls(**{k: raw.value for k, raw in values.items()})
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}
    for name in values:
        if name not in fields:
            close = difflib.get_close_matches(name, fields, 1)
            hint = "; did you mean %r?" % close[0] if close else ""
            raise with_fix(
                ArgumentError("ConfigArgs has no field %r%s" % (name, hint)),
                "use one of: %s" % ", ".join(fields),
            )
    missing = [f.name for f in fields.values() if f.name not in values
               and f.default is MISSING and f.default_factory is MISSING]
    if missing:
        raise with_fix(
            ArgumentError("ConfigArgs needs a value for: %s" % ", ".join(missing)),
            "pass %s" % ", ".join("%s=..." % m for m in missing),
        )
    return cls(**{name: _convert(fields[name], raw) for name, raw in values.items()})


def describe_args(cls):
    """[(name, type as text, default or MISSING)] of a ConfigArgs."""
    if not dataclasses.is_dataclass(cls):
        return []
    out = []
    for f in dataclasses.fields(cls):
        default = f.default
        if f.default_factory is not MISSING:
            default = f.default_factory()
        plain = isinstance(f.type, type) and not hasattr(f.type, "__origin__")
        kind = f.type.__name__ if plain else str(f.type).replace("typing.", "")
        out.append((f.name, kind, default))
    return out


def call_get_config(module, text, given):
    """Runs `get_config` with the arguments it wants."""
    function = getattr(module, "get_config", None)
    if not callable(function):
        raise with_fix(
            LoaderError("the file defines no get_config()"),
            "define `def get_config():` that returns the config",
        )
    cls = getattr(module, "ConfigArgs", None)
    if cls is not None:
        return function(build_args(cls, text, given))
    return function(text) if text else function()
