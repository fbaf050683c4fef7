"""The modules that a config file finds under the names of Kauldron and its config library."""

import pathlib
import sys
import types
import typing

from kd_loader import config_dict, kontext_api, mocking, plain_numpy, printing, references
from kd_loader.call_args import call_get_config
from kd_loader.errors import LoaderError, MutabilityError, RequiredValueError, with_fix
from kd_loader.plain import PlainModule
from kd_loader.proxies import Proxy, ProxyUnion

user_aliases = {}


def register_aliases(aliases):
    """Shorter names of modules in printed configs."""
    printing.ALIASES.update(aliases)
    user_aliases.update(aliases)


class WithRef:
    """Adds `.ref` for editors; on an object it cannot work."""

    @property
    def ref(self):
        raise RuntimeError(
            "%s.ref should only be called when objects is imported from `konfig.imports()`"
            % type(self).__name__
        )


def const(value):
    """A constant node: of a proxy, or of a name like 'jax.numpy:float32'."""
    name = value._qualname if isinstance(value, Proxy) else value
    if not isinstance(name, str):
        raise with_fix(
            TypeError("konfig.const takes a proxy or a name, got %r" % (value,)),
            "import the module inside `konfig.imports()`, or write 'module:name'",
        )
    return config_dict.ConfigDict({"__const__": name})


def ref_copy(cfg):
    """A copy whose leaves follow the original until they are overwritten."""
    if not isinstance(cfg, config_dict.ConfigDict):
        raise with_fix(
            ValueError("ref_copy can only be applied on ConfigDict. Not %s" % type(cfg)),
            "pass a config node",
        )
    new = config_dict.ConfigDict()
    for key, value in cfg.items(preserve_field_references=True):
        if key in (config_dict.QUALNAME, config_dict.CONST):
            pass  # the kind of a node is not a value to follow
        elif isinstance(value, references.FieldReference):
            value = value.identity()
        elif isinstance(value, config_dict.ConfigDict):
            value = ref_copy(value)
        else:
            value = cfg.get_oneway_ref(key)
        new._fields[key] = value
    return new


def ref(cfg):
    """The same as `cfg.ref`."""
    return cfg.ref


def _not_here(name, fix):
    def fail(*args, **kwargs):
        text = "konfig.%s() cannot be called while a config is read" % name
        raise with_fix(LoaderError(text), fix)

    return fail


class _FlagHolder:
    """What DEFINE_config_file returns: a config file may define flags it does not use here."""

    value = None


def get_config_from_module(module, cli_str_arg=""):
    return call_get_config(module, cli_str_arg, {})


def _konfig_module(importer):
    module = types.ModuleType("kauldron.konfig")
    module.__path__ = []
    module.ConfigDict = config_dict.ConfigDict
    module.ConfigDictLike = typing.Annotated[typing.TypeVar("_T"), None]
    module.WithRef = WithRef
    module.imports = importer.imports
    module.set_lazy_imported_modules = importer.set_lazy_imported_modules
    module.DEFINE_config_file = lambda *args, **kwargs: _FlagHolder()
    module.register_default_values = lambda node: config_dict.register_default_values(node)
    resolve_fix = "return the config; objects are built from it later"
    module.resolve = _not_here("resolve", resolve_fix)
    export_fix = "write the config node itself"
    module.export = _not_here("export", export_fix)
    module.export_qualname = _not_here("export_qualname", export_fix)
    for fn in (
        mocking.mock_modules, ref_copy, references.ref_fn, references.placeholder,
        references.required, register_aliases, const, ref, get_config_from_module,
    ):
        setattr(module, fn.__name__, fn)
    return module


def _ml_collections_module():
    module = types.ModuleType("ml_collections")
    module.__path__ = []
    inner = types.ModuleType("ml_collections.config_dict")
    for target in (module, inner):
        target.ConfigDict = config_dict.ConfigDict
        target.FieldReference = references.FieldReference
    inner.placeholder = lambda field_type, required=False: references.placeholder(
        field_type, required=required
    )
    inner.required_placeholder = lambda t: references.placeholder(t, required=True)
    inner.create = lambda **fields: config_dict.ConfigDict(fields)
    inner.RequiredValueError, inner.MutabilityError = RequiredValueError, MutabilityError
    module.config_dict = inner
    return module, inner


def install(importer):
    """Puts the stand-ins into sys.modules. Returns the konfig module."""
    konfig, kontext = _konfig_module(importer), kontext_api.make_module()
    kauldron, kd = PlainModule("kauldron"), PlainModule("kauldron.kd")
    ml_collections, ml_config_dict = _ml_collections_module()
    for owner in (kauldron, kd):
        owner.konfig, owner.kontext = konfig, kontext
    kauldron.kd, kauldron.kxm = kd, PlainModule("kauldron.kxm")
    kd.kxm = kauldron.kxm
    base = types.ModuleType("kauldron.konfig.configdict_base")
    base.ConfigDict, base.register_aliases = config_dict.ConfigDict, register_aliases
    base.register_default_values = konfig.register_default_values
    fakes = types.ModuleType("kauldron.konfig.fake_import_utils")
    fakes.ProxyObject, fakes.ProxyUnionObject = Proxy, ProxyUnion
    etils, epath = PlainModule("etils"), PlainModule("etils.epath")
    etils.epath, epath.Path = epath, pathlib.Path
    epath.PathLike = typing.Any
    konfig.configdict_base, konfig.fake_import_utils = base, fakes
    for module in (kauldron, kd, kauldron.kxm, kontext, base, fakes, konfig, etils, epath,
                   ml_collections, ml_config_dict, plain_numpy.make_module()):
        sys.modules[module.__name__] = module
    sys.modules["konfig"] = konfig
    sys.modules["kontext"] = kontext
    return konfig
