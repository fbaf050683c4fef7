"""repr of a config, in Kauldron's layout."""

from kd_loader.config_dict import CONST, QUALNAME, ConfigDict, num_args
from kd_loader.references import FieldReference

ALIASES = {
    "flax.linen": "nn",
    "gemma.gm": "gm",
    "kauldron.kd": "kd",
    "kauldron.kxm": "kxm",
    "numpy": "np",
    "tensorflow_datasets": "tfds",
    "tensorflow": "tf",
}


def short_name(name):
    for full, alias in ALIASES.items():
        if name == full or name.startswith((full + ".", full + ":")):
            name = name.replace(full, alias, 1)
    return name.replace(":", ".")


def _block(parts, start, end):
    one_line = len(parts) <= 1 or sum(map(len, parts)) <= 20
    if one_line and not any("\n" in part for part in parts):
        return start + ", ".join(parts) + end
    body = "".join("    %s,\n" % part.replace("\n", "\n    ") for part in parts)
    return "%s\n%s%s" % (start, body, end)


class _Printer:
    def __init__(self):
        self._numbers = {}  # id -> number of the anchor, None when seen once
        self._shown = set()
        self._count = 0
        self._keep = []

    def watch(self, value):
        """First pass: finds what is reached more than once."""
        if not isinstance(value, (dict, ConfigDict, FieldReference, list, tuple)):
            return
        self._keep.append(value)
        if id(value) in self._numbers:
            if self._numbers[id(value)] is None:
                self._count += 1
                self._numbers[id(value)] = self._count
            return
        self._numbers[id(value)] = None
        if isinstance(value, FieldReference):
            self.watch(value.get())
        elif isinstance(value, (list, tuple)):
            for v in value:
                self.watch(v)
        else:
            for v in _fields(value).values():
                self.watch(v)

    def show(self, value):
        number = self._numbers.get(id(value))
        if number is None:
            return self._inner(value)
        if number in self._shown:
            return "*id%03d" % number
        self._shown.add(number)
        return "&id%03d %s" % (number, self._inner(value))

    def _inner(self, value):
        if isinstance(value, FieldReference):
            return self.show(value.get())
        if isinstance(value, (list, tuple)):
            start, end = "[]" if isinstance(value, list) else "()"
            return _block([self.show(v) for v in value], start, end)
        if not isinstance(value, (dict, ConfigDict)):
            return "..." if value is Ellipsis else repr(value)
        fields = dict(_fields(value))
        if CONST in fields:
            return short_name(fields[CONST])
        if QUALNAME not in fields:
            parts = ["%r: %s" % (k, self.show(v)) for k, v in fields.items()]
            return _block(parts, "{", "}")
        header = short_name(fields.pop(QUALNAME))
        shown = {k: self.show(v) for k, v in fields.items()}
        parts = [shown.pop(str(i)) for i in range(num_args(shown))]
        parts += ["%s=%s" % item for item in shown.items()]
        return _block(parts, header + "(", ")")


def _fields(value):
    return value._fields if isinstance(value, ConfigDict) else value


def build_repr(node):
    printer = _Printer()
    printer.watch(node)
    return printer.show(node)
