#!/usr/bin/env python3
"""Evaluates a Kauldron config file without Kauldron and prints the config as JSON.

    python3 kd_config_loader.py config.py [--args TEXT] [--arg name=JSON ...] [--sweep NAME ...]

The form of the output is described in README.md. Errors go to standard error, with exit code 1.
"""

import argparse
import json
import os
import sys
import types

_HERE = os.path.dirname(os.path.abspath(__file__))
if _HERE not in sys.path:
    sys.path.insert(0, _HERE)

from kd_loader import call_args, compat, config_dict, errors, konfig_api, kontext_api  # noqa: E402
from kd_loader.defaults import register_builtin_defaults  # noqa: E402
from kd_loader.encode import Encoder  # noqa: E402
from kd_loader.importer import Importer, compile_file, config_package  # noqa: E402
from kd_loader.plain import PlainResult  # noqa: E402

sys.dont_write_bytecode = True  # leave nothing beside the user's files
MIN_PYTHON = (3, 9)
FORM = 1  # version of the output form


def parse_options(argv):
    parser = argparse.ArgumentParser(prog="kd_config_loader.py", description=__doc__.split("\n")[0])
    parser.add_argument("file", help="the config file")
    parser.add_argument("--args", default="", metavar="TEXT", help="the text after ':' in --cfg")
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=JSON",
                        help="a field of ConfigArgs; wins over --args")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=JSON",
                        help="an override, applied before functions of references are called")
    parser.add_argument("--each", metavar="JSON",
                        help="a list of lists of --arg: prints a list, one output for each")
    parser.add_argument("--sweep", action="append", default=[], metavar="NAME",
                        help="run this sweep function, too; '*' runs all")
    parser.add_argument("--locations", action="store_true", help="file:line of every call node")
    parser.add_argument("--kauldron-json", action="store_true",
                        help="print only the config, as Kauldron writes it (no references)")
    parser.add_argument("--json-out", type=int, metavar="FD", help="file descriptor of the output")
    parser.add_argument("--traceback", action="store_true", help="show the whole Python traceback")
    return parser.parse_args(argv)


def load_module(path, importer):
    """Runs the file and returns its module."""
    try:
        with open(path, "rb") as f:
            data = f.read()
    except OSError as e:
        raise errors.with_fix(
            errors.LoaderError("cannot read the file: %s" % e.strerror),
            "give the path of a Python file",
        ) from None
    path = os.path.abspath(path)
    code = compile_file(data, path)
    module = types.ModuleType("cfg_config")
    module.__file__ = path
    module.__package__ = "cfg_package"
    sys.modules["cfg_package"] = config_package(importer.config_dir)
    sys.modules["cfg_config"] = module
    exec(code, module.__dict__)
    return module


def build_config(module, options):
    """The ConfigDict that get_config() returns, with the overrides of --set."""
    cfg = call_args.call_get_config(module, options.args, call_args.parse_assignments(options.arg))
    if isinstance(cfg, dict):
        cfg = config_dict.ConfigDict(cfg)
    if not isinstance(cfg, config_dict.ConfigDict):
        forgot = "add `return cfg` at its end" if cfg is None else "return a ConfigDict"
        if isinstance(cfg, PlainResult):
            forgot = (
                "import %r inside `with konfig.imports():`; outside, its objects are no configs"
                % cfg.__dict__["_module"]
            )
        raise errors.with_fix(
            errors.LoaderError("get_config() returned %r, not a config" % (cfg,)), forgot
        )
    for item in options.set:
        path, equals, text = item.partition("=")
        if not equals:
            raise errors.with_fix(errors.LoaderError("--set %s" % item), "write --set path=value")
        kontext_api.set_by_path(cfg, path, call_args.parse_value(text))
    return cfg


def sweep_names(module):
    return [n for n, v in vars(module).items()
            if (n == "sweep" or n.startswith("sweep_")) and callable(v)]


def run_sweep(module, name):
    """The items of one sweep function, each a dict of path -> value."""
    items = []
    for item in getattr(module, name)() or ():
        if not isinstance(item, dict) or not all(isinstance(k, str) for k in item):
            raise errors.with_fix(
                errors.LoaderError("%s() gave %r" % (name, item)),
                "yield dicts of path and value: yield {'seed': 1}",
            )
        node = config_dict.ConfigDict()
        for key, value in item.items():
            node._fields[key] = config_dict.normalise(value, key, config_dict.ConfigDict, {})
        items.append({k: Encoder().encode(v) for k, v in node._fields.items()})
    return items


def try_sweep(module, name, options):
    """The items of one sweep function, or why it failed: the others may be fine."""
    try:
        return run_sweep(module, name)
    except (Exception, SystemExit) as e:
        message = errors.report(e, options.file, options.traceback)
        return {"error": errors.kind_of(e), "message": message}


def describe(module, cfg, options, importer):
    """The whole output."""
    encoder = Encoder(cfg, options.locations)
    out = {"form": FORM, "config": encoder.encode(cfg), "defaults_merged": True}
    cls = getattr(module, "ConfigArgs", None)
    out["has_config_args"] = cls is not None
    out["config_args"] = [
        dict({"name": name, "type": kind},
             **({} if default is call_args.MISSING else {"default": _encoded(default)}))
        for name, kind, default in (call_args.describe_args(cls) if cls is not None else ())
    ]
    names = sweep_names(module)
    out["sweep_names"] = names
    out["sweeps"] = {n: try_sweep(module, n, options) for n in names
                     if n in options.sweep or "*" in options.sweep}
    out["files"] = importer.files
    out["aliases"] = konfig_api.user_aliases
    out["default_values"] = [Encoder(node).encode(node) for node in config_dict.user_defaults]
    out["warnings"] = encoder.warnings + importer.warnings
    if options.arg and cls is None:
        text = "__args__ has no effect: the file defines no ConfigArgs"
        out["warnings"].append({"path": "", "reads": [], "message": text})
    if options.locations:
        out["locations"] = encoder.locations
    return out


def _encoded(value):
    try:
        return Encoder().encode(config_dict.normalise(value, "", config_dict.ConfigDict, {}))
    except Exception:
        return repr(value)


def in_child(function):
    """What function() returns, as JSON text, from a process of its own: it may change anything."""
    source, sink = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(source)
        with os.fdopen(sink, "w", encoding="utf-8") as f:
            f.write(json.dumps(function()))
        os._exit(0)
    os.close(sink)
    with os.fdopen(source, encoding="utf-8") as f:
        text = f.read()
    os.waitpid(child, 0)
    return text or json.dumps({"error": "Exception", "message": "python3 ended without a result"})


def describe_each(module, options, importer):
    """The text to print with --each: as much as is common is done once."""
    def one(args):
        try:
            if args and not hasattr(module, "ConfigArgs"):
                raise errors.with_fix(
                    errors.LoaderError("__args__ has no effect: the file defines no ConfigArgs"),
                    "call the class of the argument of get_config ConfigArgs",
                )
            options.arg = options.arg + args
            return describe(module, build_config(module, options), options, importer)
        except (Exception, SystemExit) as e:
            message = errors.report(e, options.file, options.traceback)
            return {"error": errors.kind_of(e), "message": message}

    outputs = [in_child(lambda: one(args)) for args in json.loads(options.each)]
    return '{"each": [%s]}' % ", ".join(outputs)


def run(options):
    """Evaluates the file; returns the text to print."""
    importer = Importer(options.file)
    konfig_api.install(importer)
    register_builtin_defaults()
    compat.install()
    foreign = (_HERE + os.sep, "/site-packages/", "/dist-packages/")
    sys.path[:] = [p for p in sys.path if not any(f in os.path.abspath(p) + "/" for f in foreign)]
    sys.argv = [options.file]
    importer.install()
    try:
        module = load_module(options.file, importer)
        if options.each is not None:
            return describe_each(module, options, importer)
        cfg = build_config(module, options)
        if options.kauldron_json:
            return cfg.to_json()
        out = describe(module, cfg, options, importer)
    finally:
        importer.uninstall()
    return json.dumps(out)


def main(argv=None):
    if sys.version_info < MIN_PYTHON:
        sys.stderr.write("Python %d.%d or newer is needed\n" % MIN_PYTHON)
        return 1
    options = parse_options(argv)
    # The file may print: that goes to standard error, the output stays clean.
    sys.stdout.flush()
    out = os.dup(1) if options.json_out is None else options.json_out
    os.dup2(2, 1)
    try:
        text = run(options)
    except KeyboardInterrupt:
        raise
    except (Exception, SystemExit) as e:
        if isinstance(e, SystemExit):
            error = errors.LoaderError("the file ended the program (exit %s)" % (e.code,))
            e = errors.with_fix(error.with_traceback(e.__traceback__), "do not exit in a config")
        sys.stderr.write(errors.report(e, options.file, options.traceback))
        text, code = json.dumps({"error": errors.kind_of(e)}), 1
    else:
        code = 0
    with os.fdopen(out, "w", encoding="utf-8") as f:
        f.write(text + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
