"""Checks and converts what may be stored in a config."""

import dataclasses
import functools
import os
from collections.abc import Mapping

from kd_loader.errors import with_fix
from kd_loader.plain import PlainResult, is_plain
from kd_loader.proxies import Proxy, ProxyUnion
from kd_loader.references import FieldReference

_LEAVES = (int, float, str, bytes, type(None), type(Ellipsis), slice, os.PathLike)


def shorten(value, limit=40):
    text = value if isinstance(value, str) else repr(value)
    half = limit // 2
    return text if len(text) <= limit else text[:half] + "..." + text[-half:]


def normalise(value, name, make, shared):
    """The stored form of `value`; `make` builds a node of normalised fields."""

    def inner(v, suffix):
        return normalise(v, name + suffix, make, shared)

    if is_plain(value):
        raise _unknown(value, name)
    if isinstance(value, make) or isinstance(value, dict):
        return _node(value, inner, make, shared)
    if isinstance(value, (FieldReference, ProxyUnion)):
        return value
    if isinstance(value, Proxy):
        return make({"__const__": value._qualname}, _normalised=True)
    if isinstance(value, _LEAVES):
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [inner(v, "[%d]" % i) for i, v in enumerate(value)]
        kind = type(value)
        return tuple(items) if isinstance(value, tuple) and kind is not tuple else kind(items)
    if hasattr(type(value), "__as_konfig__"):
        return normalise(value.__as_konfig__(), name, make, shared)
    if isinstance(value, functools.partial):
        fields = {"__qualname__": "functools:partial", "0": inner(value.func, ".0")}
        fields.update((str(i), inner(v, ".%d" % i)) for i, v in enumerate(value.args, 1))
        fields.update((k, inner(v, ".%s" % k)) for k, v in value.keywords.items())
        return make(fields, _normalised=True)
    if dataclasses.is_dataclass(value) and type(value).__name__ == "ConfigArgs":
        return normalise(dataclasses.asdict(value), name, make, shared)
    if isinstance(value, Mapping):  # an immutable dict
        return _node(dict(value), inner, make, shared)
    raise _rejected(value, name)


def settle(value, make, path=""):
    """Normalises what was appended to lists, which no check has seen."""
    seen = set()

    def visit(value, path):
        if isinstance(value, make):
            if id(value) not in seen:
                seen.add(id(value))
                for key, child in value._fields.items():
                    visit(child, "%s.%s" % (path, key) if path else str(key))
        elif isinstance(value, (list, tuple)):
            for i, child in enumerate(value):
                name = "%s[%d]" % (path, i)
                if isinstance(value, list) and not isinstance(child, (make, list, tuple)):
                    child = value[i] = normalise(child, name, make, {})
                visit(child, name)

    visit(value, path)


def _node(value, inner, make, shared):
    number = value["__id__"] if "__id__" in value else None
    if number is not None:
        del value["__id__"]
        if number in shared:
            return shared[number]
    if isinstance(value, make):
        node = value
    else:
        node = make({k: inner(v, ".%s" % (k,)) for k, v in value.items()}, _normalised=True)
    if number is not None:
        shared[number] = node
    return node


def _rejected(value, name):
    return with_fix(
        ValueError(
            "Error setting `cfg.%s`: To avoid mixing configurable and resolved python object,"
            " ConfigDict only accept other configurables (list, int, ConfigDict,...). Got: %s"
            % (name, shorten(value))
        ),
        "import its module inside `with konfig.imports():`, or store numbers, text, lists or dicts",
    )


def _unknown(value, name):
    what = "the result of a call" if isinstance(value, PlainResult) else "an object"
    module = value._module
    return with_fix(
        ValueError(
            "Error setting `cfg.%s`: %r is %s from %r, which was imported outside of"
            " `konfig.imports()` and cannot be used while a config is read"
            % (name, value, what, module)
        ),
        "move the import of %r into `with konfig.imports():`, or compute the value with the"
        " standard library" % module,
    )
