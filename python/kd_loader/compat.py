"""What newer Pythons offer to config files, for older ones."""

import dataclasses
import functools
import sys


def install():
    if sys.version_info >= (3, 10):
        return
    original = dataclasses.dataclass

    @functools.wraps(original)
    def dataclass(cls=None, /, *, kw_only=False, slots=False, **options):
        def wrap(c):
            if kw_only:
                _defaults_last(c)
            return original(c, **options)

        return wrap if cls is None else wrap(cls)

    dataclasses.dataclass = dataclass


def _defaults_last(cls):
    """Keyword-only fields may come in any order: put those without a default first."""
    names = cls.__dict__.get("__annotations__", {})
    ordered = sorted(names.items(), key=lambda item: hasattr(cls, item[0]))
    cls.__annotations__ = dict(ordered)
