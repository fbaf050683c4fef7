"""Import statements of config files: proxies inside `konfig.imports()`, stand-ins elsewhere.

The standard library and the files beside the config are imported really. Nothing else is.
"""

import builtins
import contextlib
import difflib
import importlib.machinery
import importlib.util
import os
import sys
import types

from kd_loader.errors import is_user_globals, stdlib_names, with_fix
from kd_loader.plain import PlainModule
from kd_loader.proxies import Proxy

_STDLIB = stdlib_names()
# Libraries whose own files are never executed, even when a checkout lies beside the config.
_NEVER_REAL = frozenset(
    "absl chex clu einops etils flax grain gemma jax jaxlib kauldron keras matplotlib"
    " ml_collections numpy optax orbax pandas PIL scipy seaborn sklearn tensorflow"
    " tensorflow_datasets tfds torch torchvision transformers xmanager".split()
)
_HINT = (
    "\nIf those imports are not resolved here (e.g. XManager info inside the Kauldron trainer"
    " config), those modules should be imported in a separate `with konfig.imports(lazy=True)`"
    " scope."
)


class Importer:
    """Takes the place of `builtins.__import__` while a config file runs."""

    def __init__(self, config_path):
        folder = os.path.dirname(os.path.abspath(config_path))
        self.config_dir = folder
        self._folders = []
        while folder not in self._folders:
            self._folders.append(folder)
            folder = os.path.dirname(folder)
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        for folder in [os.getcwd()] + [os.path.abspath(f) for f in given if f]:
            if folder not in self._folders:
                self._folders.append(folder)
        self._original = builtins.__import__
        self._scopes = 0  # nested konfig.imports()
        self._policies = []  # (lazy names, except names)
        self.warnings = []
        self.files = []  # [folder it was found from, file], in order of their import

    def install(self):
        builtins.__import__ = self._import
        sys.meta_path.insert(0, self)

    def uninstall(self):
        builtins.__import__ = self._original
        sys.meta_path.remove(self)

    # ---- konfig.imports() and its policy.
    @contextlib.contextmanager
    def imports(self, *, lazy=False):
        if lazy:
            self._policies.append((("*",), ()))
        self._scopes += 1
        try:
            yield
        except ImportError as e:
            e.msg = "%s\n%s" % (e, _HINT)
            e.args = (e.msg,)
            with_fix(e, getattr(e, "kd_fix", "correct the name, or use imports(lazy=True)"))
            raise
        finally:
            self._scopes -= 1
            if lazy:
                self._policies.pop()

    @contextlib.contextmanager
    def set_lazy_imported_modules(self, lazy_import=("*",), *, except_=()):
        if not (isinstance(lazy_import, (list, tuple)) and isinstance(except_, (list, tuple))):
            raise TypeError("set_lazy_imported_modules takes lists of module names")
        self._policies.append((tuple(lazy_import), tuple(except_)))
        try:
            yield
        finally:
            self._policies.pop()

    def _is_lazy(self, name):
        if not self._policies:
            return False
        lazy, except_ = self._policies[-1]
        return not _matches(name, except_) and _matches(name, lazy)

    # ---- The import statement.
    def _import(self, name, globals=None, locals=None, fromlist=(), level=0):
        namespace = globals if globals is not None else {}
        if not is_user_globals(namespace):
            return self._original(name, globals, locals, fromlist, level)
        if self._scopes:
            return self._import_proxy(name, fromlist, level)
        if level or self._is_real(name, fromlist):
            return self._original(name, globals, locals, fromlist, level)
        return self._import_stand_in(name, fromlist)

    def _import_proxy(self, name, fromlist, level):
        if level:
            raise with_fix(
                ValueError("Relative import statements not supported (%s)." % name),
                "write the full name of the module inside `konfig.imports()`",
            )
        if fromlist and "*" in fromlist:
            raise with_fix(
                ImportError("`from %s import *` is not supported here" % name),
                "import the module, or each name",
            )
        module = Proxy._of_module(name)
        for child in [name + "." + n for n in fromlist] if fromlist else [name]:
            proxy = Proxy._of_module(child)
            if not self._is_lazy(child):
                self._check_exists(proxy._qualname)
        return module if fromlist else Proxy._get(name.split(".")[0])

    def _check_exists(self, name):
        """Fails for a module that is certainly missing: of the standard library or the project."""
        root, _, rest = name.partition(".")
        if root in _STDLIB:
            self._original(name)
            return
        for folder in self._folders if root not in _NEVER_REAL else ():
            package = os.path.join(folder, root)
            if not rest or not os.path.isfile(os.path.join(package, "__init__.py")):
                continue
            parent = os.path.join(package, *rest.split(".")[:-1])
            last = name.rpartition(".")[2]
            if os.path.isdir(parent) and not _module_file(parent, last):
                if os.path.isdir(os.path.join(parent, last)):
                    return
                names = [n[:-3] if n.endswith(".py") else n for n in os.listdir(parent)]
                close = difflib.get_close_matches(last, names, 1)
                hint = "\nDid you mean %r?" % close[0] if close else ""
                raise ModuleNotFoundError("No module named %r%s" % (name, hint))
            return

    def _import_stand_in(self, name, fromlist):
        parts, module = name.split("."), None
        for i in range(len(parts)):
            dotted = ".".join(parts[: i + 1])
            module = sys.modules.get(dotted)
            if module is None:
                module = sys.modules[dotted] = PlainModule(dotted)
                if i:
                    setattr(sys.modules[".".join(parts[:i])], parts[i], module)
        if fromlist and "*" in fromlist:
            raise with_fix(
                ImportError("`from %s import *`: the module is not loaded here" % name),
                "import the names that the config needs",
            )
        for child in fromlist or ():  # a module by convention: `from jax import numpy as jnp`
            if child.islower() and not hasattr(type(module), child) and child not in vars(module):
                self._import_stand_in(name + "." + child, ())
        return module if fromlist else sys.modules[parts[0]]

    # ---- Files of the project.
    def _is_real(self, name, fromlist=()):
        root = name.split(".")[0]
        if root in _STDLIB:
            return True
        if isinstance(sys.modules.get(name), PlainModule):
            missing = [n for n in fromlist or () if n not in vars(sys.modules[name])]
            return bool(missing) and any(self._find(name + "." + n) for n in missing)
        if name in sys.modules:
            return True
        return any(self._find(n) for n in [name] + [name + "." + n for n in fromlist or ()])

    def _find(self, dotted):
        """The file of a module of the project, or None. The first folder that has it counts."""
        *parents, last = dotted.split(".")
        for folder in self._folders:
            found = _module_file(os.path.join(folder, *parents), last)
            if found and (dotted.split(".")[0] not in _NEVER_REAL or self._is_config(found)):
                if [folder, found] not in self.files:
                    self.files.append([folder, found])
                return found
        return None

    def _is_config(self, path):
        if os.path.dirname(path) == self.config_dir:
            return True
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        return "konfig" in text and "def get_config" in text

    def find_spec(self, name, path=None, target=None):
        """The finder that real imports of project files end up in."""
        if name.split(".")[0] in _STDLIB or name.startswith(("kd_loader", "cfg_package")):
            return None
        found = self._find(name)
        if found:
            is_package = os.path.basename(found) == "__init__.py"
            loader = _Loader(name, found, self if is_package else None)
            where = [os.path.dirname(found)] if is_package else None
            return importlib.util.spec_from_file_location(
                name, found, loader=loader, submodule_search_locations=where
            )
        folders = [os.path.join(f, *name.split(".")) for f in self._folders]
        folders = [f for f in folders if os.path.isdir(f)]
        if folders:  # a folder without __init__.py
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = folders
            return spec
        if name.split(".")[0] in _NEVER_REAL:
            return importlib.machinery.ModuleSpec(name, _StandInLoader(), is_package=True)
        return None


class _Loader(importlib.machinery.SourceFileLoader):
    """Runs a project file; a package that needs more than stand-ins stays an empty one."""

    def __init__(self, name, path, importer):
        super().__init__(name, path)
        self._importer = importer

    def get_code(self, fullname):
        return compile_file(self.get_data(self.path), self.path)

    def exec_module(self, module):
        if self._importer is None:
            super().exec_module(module)
            return
        try:
            super().exec_module(module)
        except SyntaxError:
            raise
        except Exception as e:
            note = {"path": "", "reads": [], "message": "%s: skipped: %s" % (self.path, e)}
            self._importer.warnings.append(note)


class _StandInLoader:
    def create_module(self, spec):
        return PlainModule(spec.name)

    def exec_module(self, module):
        pass


def _module_file(folder, name):
    base = os.path.join(folder, name)
    for candidate in (os.path.join(base, "__init__.py"), base + ".py"):
        if os.path.isfile(candidate):
            return candidate
    return None


def _matches(name, patterns):
    return "*" in patterns or any((name + ".").startswith(p + ".") for p in patterns)


def compile_file(data, path):
    """The code of a file. Old Pythons read annotations as text, so that `int | None` works."""
    flags = 0
    if sys.version_info < (3, 10):
        import __future__

        flags = __future__.annotations.compiler_flag
    source = importlib.util.decode_source(data)
    return compile(source, path, "exec", flags=flags, dont_inherit=True)


def config_package(folder):
    """A package for the config file itself, so that `from . import neighbour` works."""
    package = types.ModuleType("cfg_package")
    package.__path__ = [folder]
    return package
