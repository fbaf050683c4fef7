"""Modules imported outside `konfig.imports()` that are not there: jax, numpy, a user's models.

Their functions are unknown, so that values made by them may be passed around, used in annotations,
as decorators and base classes, but never looked at or stored in a config.
"""

import types

from kd_loader.errors import with_fix


class _Base:
    """Takes the place of an unknown base class."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass


def _decorated(args, kwargs):
    """The function or class that a decorator was applied to, or None."""
    if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
        return args[0]
    return None


class _Named:
    """What names and modules have in common: `_module`, and a text."""

    def __getitem__(self, key):  # Float["b h w"]
        return self

    def __call__(self, /, *args, **kwargs):
        target = _decorated(args, kwargs)
        return PlainResult(self._module, "%s(...)" % self) if target is None else target

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases):
        return (_Base,)


class PlainProxy(_Named):
    """A name in a module that is not there."""

    _cache = {}

    def __init__(self, module, name):
        self.__dict__.update(_module=module, _name=name)

    @classmethod
    def _get(cls, module, name):
        key = module, name
        if key not in cls._cache:
            cls._cache[key] = cls(module, name)
        return cls._cache[key]

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return PlainProxy._get(self._module, self._name + "." + name)

    def __str__(self):
        return "%s.%s" % (self._module, self._name)

    __repr__ = __str__


class PlainResult:
    """What a call into a module that is not there gives."""

    def __init__(self, module, text):
        self.__dict__.update(_module=module, _text=text)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return PlainResult(self._module, "%s.%s" % (self._text, name))

    def __setattr__(self, name, value):
        pass

    def __getitem__(self, key):
        return PlainResult(self._module, "%s[...]" % self._text)

    def __call__(self, /, *args, **kwargs):
        target = _decorated(args, kwargs)
        return PlainResult(self._module, "%s(...)" % self._text) if target is None else target

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        return False

    def __mro_entries__(self, bases):
        return (_Base,)

    def __repr__(self):
        return self._text

    def _fail(self, *unused):
        raise with_fix(
            TypeError(
                "the value of %s is not known: %r is not loaded while a config is read"
                % (self._text, self._module)
            ),
            "compute the value with the standard library, or import %r inside"
            " `with konfig.imports():` to name it in the config" % self._module,
        )

    __hash__ = object.__hash__


for _name in (
    "bool int float index complex str format iter len contains eq ne lt le gt ge fspath".split()
):
    setattr(PlainResult, "__%s__" % _name, PlainResult._fail)
for _name in (
    "add sub mul truediv floordiv mod pow matmul and or xor neg pos abs invert".split()
):
    _op = lambda self, *unused: PlainResult(self._module, "(%s ...)" % self._text)
    setattr(PlainResult, "__%s__" % _name, _op)
    setattr(PlainResult, "__r%s__" % _name, _op)


class PlainModule(_Named, types.ModuleType):
    """A module that is not there; or a function with a name like one."""

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return PlainProxy._get(self.__name__, name)

    @property
    def _module(self):
        return self.__name__

    def __str__(self):
        return self.__name__


def is_plain(value):
    return isinstance(value, (PlainProxy, PlainResult, PlainModule))
