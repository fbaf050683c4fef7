"""Errors with a cause and a fix, and where in the user's files they happened."""

import linecache
import os
import sys
import traceback

LOADER_DIR = os.path.dirname(os.path.abspath(__file__))


class LoaderError(Exception):
    """A mistake in how the config file is called or in what it returns."""


class ArgumentError(LoaderError, TypeError):
    """Arguments that get_config does not take."""


class RequiredValueError(Exception):
    """A placeholder that must be set was read."""


class MutabilityError(Exception):
    """References that lead back to themselves."""


def with_fix(error, fix):
    """Attaches the advice that the report prints below the message."""
    error.kd_fix = fix
    return error


def stdlib_names():
    """Top-level names of the standard library."""
    names = getattr(sys, "stdlib_module_names", None)
    if names is not None:
        return names
    found = set(sys.builtin_module_names)  # Python 3.9
    base = os.path.dirname(os.__file__)
    for folder in (base, os.path.join(base, "lib-dynload")):
        for entry in os.listdir(folder) if os.path.isdir(folder) else ():
            found.add(entry.split(".")[0])
    return frozenset(found - {"site-packages", "dist-packages", "lib-dynload"})


_STDLIB = stdlib_names()


def is_user_globals(namespace):
    """Whether code with these globals is the user's: not the standard library, not the loader."""
    root = str(namespace.get("__name__", "")).split(".")[0]
    return root not in _STDLIB and root not in ("kd_loader", "kd_config_loader", "__main__")


def _is_user_frame(frame):
    name = frame.f_code.co_filename
    return not name.startswith("<") and is_user_globals(frame.f_globals)


def user_location():
    """'file:line' of the innermost line of the user's that is running now, or None."""
    frame = sys._getframe(1)
    while frame is not None:
        if _is_user_frame(frame):
            return "%s:%d" % (frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None


def _place_of(error):
    """(file, line) in the user's code where the error was raised, or None."""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    place, tb = None, error.__traceback__
    while tb is not None:
        if _is_user_frame(tb.tb_frame):
            place = tb.tb_frame.f_code.co_filename, tb.tb_lineno
        tb = tb.tb_next
    return place


def _text_of(error):
    if isinstance(error, SyntaxError):
        text = error.msg
    elif isinstance(error, RecursionError):
        text = "too many nested calls (a reference or a node that contains itself?)"
    elif isinstance(error, KeyError) and error.args:
        text = str(error.args[0])
    else:
        text = str(error)
    lines = [line.rstrip() for line in text.strip().splitlines()] or [""]
    kind = type(error).__name__
    if isinstance(error, LoaderError):
        return lines
    lines[0] = "%s: %s" % (kind, lines[0]) if lines[0] else kind
    return lines


def kind_of(error):
    """The name of the exception: its own, or that of the class of Python or of ours behind it."""
    for cls in type(error).__mro__:
        if cls.__module__ in ("builtins", __name__) and not issubclass(cls, LoaderError):
            return cls.__name__
    return "Exception"


def _fix_of(error):
    fix = getattr(error, "kd_fix", None)
    if fix:
        return fix
    if isinstance(error, NameError):
        name = getattr(error, "name", "")
        if name in ("kd", "kxm"):
            return "add `with konfig.imports():` with `from kauldron import %s` below it" % name
        return "define or import the name first"
    if isinstance(error, SyntaxError):
        return "correct the line; the file must be valid for Python %d.%d" % sys.version_info[:2]
    if isinstance(error, RecursionError):
        return "look for a reference that reads its own field, or a config stored inside itself"
    return None


def report(error, path, show_traceback=False):
    """The message for standard error."""
    out = []
    if show_traceback:
        out.append("".join(traceback.format_exception(type(error), error, error.__traceback__)))
    place = _place_of(error)
    where = "%s:%d" % place if place else path
    lines = _text_of(error)
    out.append("%s: %s\n" % (where, lines[0]))
    out.extend("  %s\n" % line for line in lines[1:12] if line)
    source = linecache.getline(*place).strip() if place else ""
    if source:
        out.append("    %s\n" % source)
    fix = _fix_of(error)
    if fix:
        out.append("  fix: %s\n" % fix)
    return "".join(out)
