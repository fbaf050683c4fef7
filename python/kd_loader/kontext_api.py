"""The part of `kauldron.kontext` that config files use: key builders and paths."""

import re
import types
import typing

from kd_loader.errors import with_fix
from kd_loader.plain import PlainModule

REQUIRED = "__KEY_REQUIRED__"


class PathBuilder:
    """Writes a key as a chain of fields: `batch.image[0]` becomes 'batch.image[0]'."""

    def __init__(self, text):
        self.__dict__["_text"] = text

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__") and name != "__call__":
            raise AttributeError(name)
        return PathBuilder("%s.%s" % (self._text, name))

    def __getitem__(self, key):
        if isinstance(key, slice):
            ends = ["" if v is None else repr(v) for v in (key.start, key.stop, key.step)]
            key_text = ":".join(ends[:2] if key.step is None else ends)
        else:
            key_text = repr(key)
        return PathBuilder("%s[%s]" % (self._text, key_text))

    def __as_konfig__(self):
        return self._text

    def __str__(self):
        return self._text

    def __repr__(self):
        return "DynamicPathBuilder(%s)" % self._text


def path_builder_from(prefix, cls=None):
    return PathBuilder(prefix)


_PART = re.compile(r"\.?([^.\[\]]+)|\[(-?\d+)\]|\[(['\"])(.*?)\3\]")


def split_path(path):
    """'a.b[0]['k']' as a list of keys."""
    keys, at = [], 0
    while at < len(path):
        match = _PART.match(path, at)
        if not match:
            raise with_fix(
                ValueError("cannot read the path %r at position %d" % (path, at)),
                "write it like a.b[0]['key']; `*` is not supported here",
            )
        name, index, _, text = match.groups()
        keys.append(int(index) if index is not None else name if name is not None else text)
        at = match.end()
    return keys


def get_by_path(tree, path):
    for key in split_path(str(path)):
        tree = tree[key]
    return tree


def set_by_path(tree, path, value):
    *parents, last = split_path(str(path))
    for key in parents:
        tree = tree[key]
    tree[last] = value


def make_module():
    module = PlainModule("kauldron.kontext")
    module.Key = module.KeyTree = typing.Any
    module.REQUIRED = REQUIRED
    module.Path = str
    for fn in (path_builder_from, get_by_path, set_by_path):
        setattr(module, fn.__name__, fn)
    assert isinstance(module, types.ModuleType)
    return module
