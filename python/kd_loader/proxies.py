"""Import proxies: what modules look like inside `konfig.imports()`. Calling one makes a node."""

import types

from kd_loader.errors import with_fix

make_node = None  # ConfigDict; set by config_dict.py


def _sweep_items(value):
    """A sweep may be a function; a config holds what it gives."""
    return list(value()) if isinstance(value, types.FunctionType) else value


class Proxy:
    """A module, class, function or constant, known by name only."""

    _cache = {}

    def __init__(self, name, parent=None):
        self.__dict__.update(_name=name, _parent=parent, _is_import=False)

    @classmethod
    def _get(cls, name, parent=None):
        key = (name, id(parent))  # parents are cached themselves, so ids stay valid
        found = cls._cache.get(key)
        if found is None:
            found = cls._cache[key] = cls(name, parent)
        return found

    @classmethod
    def _of_module(cls, dotted):
        """The proxy of an imported module; all its segments count as imported."""
        found = None
        for name in dotted.split("."):
            found = cls._get(name, found)
            found.__dict__["_is_import"] = True
        return found

    @property
    def _qualname(self):
        if self._parent is None:
            return self._name
        colon = self._parent._is_import and not self._is_import
        return self._parent._qualname + (":" if colon else ".") + self._name

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Proxy._get(name, self)

    def __setattr__(self, name, value):
        raise with_fix(
            AttributeError("%s.%s: a module of konfig.imports() cannot be changed" % (self, name)),
            "set the field on the config that the call returns",
        )

    def __call__(self, /, *args, **kwargs):
        fields = {"__qualname__": self._qualname}
        if self._qualname == "kauldron.kxm:SimpleSweep":
            args = [_sweep_items(value) for value in args]
            kwargs = {name: _sweep_items(value) for name, value in kwargs.items()}
        fields.update((str(i), value) for i, value in enumerate(args))
        fields.update(kwargs)
        return make_node(fields)

    def __or__(self, other):
        return ProxyUnion(self, other)

    def __ror__(self, other):
        return ProxyUnion(other, self)

    @property
    def __mro_entries__(self):
        raise with_fix(
            ValueError(
                "You're trying to inherit from a `konfig` object, rather than an actual Python"
                " class: %r. Likely because the module was imported inside a `konfig.imports()`"
                " context." % self._qualname
            ),
            "define the class in its own module and import that inside `konfig.imports()`",
        )

    def __repr__(self):
        return "ConfigDictProxyObject(%s)" % self._qualname


class ProxyUnion:
    """`A | None` of proxies."""

    def __init__(self, left, right):
        self.left, self.right = left, right

    def __or__(self, other):
        return ProxyUnion(self, other)

    def __ror__(self, other):
        return ProxyUnion(other, self)

    def __call__(self, *args, **kwargs):  # `typing` wants its arguments callable
        raise TypeError("%r is a union of types and cannot be called" % self)

    def __eq__(self, other):
        same = isinstance(other, ProxyUnion)
        return same and (self.left, self.right) == (other.left, other.right)

    def __hash__(self):
        return hash((self.left, self.right))

    def __repr__(self):
        return "%r | %r" % (self.left, self.right)
