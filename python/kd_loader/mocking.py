"""`konfig.mock_modules()`: modules become proxies in the calling scope."""

import contextlib
import ctypes
import sys
import types

from kd_loader.errors import is_user_globals
from kd_loader.plain import PlainProxy
from kd_loader.proxies import Proxy

_KEPT = ("konfig", "ecolab")


def _proxy_of(name, value):
    if name in _KEPT or name.startswith("__"):
        return None
    if isinstance(value, types.ModuleType):
        return Proxy._of_module(value.__name__)
    if isinstance(value, PlainProxy) and value._name.islower():  # by convention a module
        return Proxy._of_module("%s.%s" % (value._module, value._name))
    return None


def _write(frame, namespace, changes):
    namespace.update(changes)
    if namespace is not frame.f_globals and sys.version_info < (3, 13):
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))


@contextlib.contextmanager
def mock_modules():
    frame = sys._getframe(1)
    while frame is not None and not is_user_globals(frame.f_globals):
        frame = frame.f_back
    namespaces = [frame.f_globals] if frame else []
    if frame and frame.f_locals is not frame.f_globals:
        namespaces.append(frame.f_locals)
    changed = []
    for namespace in namespaces:
        old = {k: v for k, v in namespace.items() if _proxy_of(k, v) is not None}
        changed.append((namespace, old))
        _write(frame, namespace, {k: _proxy_of(k, v) for k, v in old.items()})
    try:
        yield
    finally:
        for namespace, old in changed:
            if namespace is not frame.f_globals:
                # Reading f_locals again would undo what was assigned since.
                current = frame.f_locals
                _write(frame, current, old)
            else:
                namespace.update(old)
