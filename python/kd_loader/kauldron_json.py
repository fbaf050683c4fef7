"""The JSON that Kauldron itself writes: references replaced by their values."""

import os

from kd_loader.config_dict import ConfigDict
from kd_loader.references import FieldReference


def encode_key(key):
    if isinstance(key, str):
        return key
    if isinstance(key, (int, float)):
        return "__raw__=%r" % (key,)
    raise TypeError("Key %r is not JSON serializable" % (key,))


def to_json(value):
    return _Writer().write(value)


class _Writer:
    def __init__(self):
        self._seen = {}  # id -> (object kept alive, its JSON)
        self._next = 0

    def write(self, value):
        if id(value) in self._seen:
            out = self._seen[id(value)][1]
            if isinstance(out, dict) and "__id__" not in out:
                out["__id__"] = self._next
                self._next += 1
            return out
        out = self._inner(value)
        self._seen[id(value)] = (value, out)
        return out

    def _inner(self, value):
        if isinstance(value, ConfigDict):
            return {encode_key(k): self.write(v) for k, v in value._fields.items()}
        if isinstance(value, dict):
            return {encode_key(k): self.write(v) for k, v in value.items()}
        if isinstance(value, FieldReference):
            return self.write(value.get())
        if isinstance(value, (list, tuple)):
            return [self.write(v) for v in value]
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if value is None or isinstance(value, (int, float, str)):
            return value
        raise TypeError("%s is not JSON serializable." % type(value))
