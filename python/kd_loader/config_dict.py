"""The ConfigDict that config files build: ordered, typed, with references and shared nodes."""

import ast
import contextlib
import copy
import difflib
from collections.abc import Mapping, MutableMapping

from kd_loader import proxies
from kd_loader.errors import RequiredValueError, user_location, with_fix
from kd_loader.normalise import normalise, settle
from kd_loader.references import FieldReference, Ref, computed, safe_cast

QUALNAME, CONST = "__qualname__", "__const__"
_RAW = "__raw__="
_OBJECT_NAMES = frozenset(dir(object))
_defaults = {}  # qualname -> node
user_defaults = []  # nodes registered by the config file, for the output
# Fields of a node that are made when first written to, though no default holds them.
_ON_DEMAND = {"kauldron.kd:train.Trainer": ("aux",)}


def num_args(fields):
    count = 0
    while str(count) in fields:
        count += 1
    return count


def decode_key(key):
    if isinstance(key, str) and key.startswith(_RAW):
        return ast.literal_eval(key[len(_RAW):])
    return key


def _set(node, name, value):
    object.__setattr__(node, name, value)


class ConfigDict:
    """A call node (`__qualname__`), a constant (`__const__`) or a plain dict."""

    def __init__(self, init_dict=None, *, _normalised=False):
        _set(self, "_fields", {})
        _set(self, "_locked", False)
        _set(self, "_type_safe", True)
        _set(self, "_pending", None)  # (parent, key): attached by the first write
        _set(self, "_where", user_location())
        fields = dict(init_dict or {})
        qualname = fields.get(QUALNAME)
        default = _defaults.get(qualname) if isinstance(qualname, str) else None
        if default is not None:
            memo = {"kd_nodes": {id(n) for n in walk_nodes(default)}, id(default): self}
            for key, value in default._fields.items():
                self._fields[key] = copy.deepcopy(value, memo)
            for key, value in fields.items():
                old = self._fields.get(key)
                if isinstance(old, ConfigDict) and isinstance(value, ConfigDict):
                    types = {node._fields.get(QUALNAME) for node in (old, value)}
                    if None not in types and len(types) == 2:
                        old._fields.clear()  # another type has none of the default's fields
            self.update(fields)
            return
        shared = {}
        if not _normalised and fields.get("__id__") is not None:
            shared[fields.pop("__id__")] = self
        for key, value in fields.items():
            if not _normalised:
                value = normalise(value, str(key), ConfigDict, shared)
            self[key] = value

    # ---- Reading.
    def _key(self, key, can_append=False):
        key = decode_key(key)
        if isinstance(key, int) and QUALNAME in self._fields:
            count = num_args(self._fields)
            index = key + count if key < 0 else key
            if not 0 <= index < count + can_append:
                raise IndexError("argument index %d is not smaller than %d" % (key, count))
            return str(index)
        return ".".join(key) if isinstance(key, tuple) else key

    def __getitem__(self, key):
        key = self._key(key)
        if key in self._fields:
            try:
                return computed(self._fields[key])
            except RequiredValueError as e:
                error = e if "path" in str(e) else type(e)("%s (config path: %s)" % (e, key))
                raise _same_fix(error, e) from None
        if key in _ON_DEMAND.get(self._fields.get(QUALNAME), ()):
            node = ConfigDict()
            _set(node, "_pending", (self, key))
            return node
        raise self._missing(key)

    def __getattr__(self, name):
        if name == "_fields":  # not yet initialised
            raise AttributeError(name)
        if name.startswith("__") and name.endswith("__") and name not in self._fields:
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as e:
            raise _same_fix(AttributeError(e.args[0] if e.args else name), e) from None

    def _missing(self, key):
        hint = self._did_you_mean(key)
        error = KeyError("\n".join(filter(None, ["no field %r in this config" % (key,), hint])))
        names = ", ".join(str(k) for k in self._fields if k not in (QUALNAME, CONST))
        return with_fix(error, "use one of: %s" % names if names else "set the field first")

    def _did_you_mean(self, key):
        if not isinstance(key, str):
            return ""
        close = difflib.get_close_matches(key, [str(k) for k in self._fields], 1, 0.75)
        return 'Did you mean "%s" instead of "%s"?' % (close[0], key) if close else ""

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        return key in self._fields

    def __len__(self):
        return len(self._fields)

    def __iter__(self):
        return iter(self._fields)

    def keys(self):
        return list(self._fields)

    def values(self, preserve_field_references=False):
        return [v for _, v in self.items(preserve_field_references)]

    def items(self, preserve_field_references=False):
        if preserve_field_references:
            return list(self._fields.items())
        return [(k, self[k]) for k in self._fields]

    iterkeys, itervalues, iteritems = keys, values, items

    def __dir__(self):
        return [str(k) for k in self._fields] + dir(ConfigDict)

    # ---- Writing.
    def __setitem__(self, key, value):
        key = self._key(key, can_append=True)
        value = normalise(value, key, ConfigDict, {})
        fields = self._fields
        if self._locked and key not in fields:
            text = 'Key "%s" does not exist and cannot be added since the config is locked.' % key
            text += ' Other fields present: "%s"' % ", ".join(map(str, fields))
            hint = self._did_you_mean(key)
            raise KeyError(text + ("\n" + hint if hint else ""))
        if self._pending:
            (parent, name), _ = self._pending, _set(self, "_pending", None)
            parent[name] = self
        if key in fields:
            old = fields[key]
            try:
                if isinstance(old, FieldReference):
                    old.set(value, self._type_safe)
                    return
                is_ref = isinstance(value, FieldReference)
                if not (is_ref and value.get_type() in (type(old), object)):
                    value = safe_cast(value, type(old), self._type_safe)
            except TypeError as e:
                error = TypeError("Could not override field '%s' (reference). %s" % (key, e))
                fix = "give a value of the same type, or write inside `with cfg.ignore_type():`"
                raise with_fix(error, getattr(e, "kd_fix", fix)) from None
        fields[key] = value

    def __setattr__(self, name, value):
        try:
            if name in _OBJECT_NAMES:
                raise KeyError("%s cannot be overridden." % name)
            self[name] = value
        except KeyError as e:
            raise _same_fix(AttributeError(e.args[0] if e.args else name), e) from None

    def __delitem__(self, key):
        if self._locked:
            raise KeyError("This ConfigDict is locked, you have to unlock it before deleting.")
        key = self._key(key)
        if key not in self._fields:
            raise self._missing(key)
        del self._fields[key]

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError as e:
            raise _same_fix(AttributeError(e.args[0]), e) from None

    def update(self, *other, **kwargs):
        """Merges recursively: nodes are merged key by key, other values are assigned."""
        if len(other) > 1:
            raise TypeError("update expected at most 1 arguments, got %d" % len(other))
        for source in (*other, kwargs):
            if not isinstance(source, Mapping):
                raise with_fix(
                    TypeError("cannot merge %r into a config node" % (source,)),
                    "assign to the field after the call to replace the node",
                )
            is_config = isinstance(source, ConfigDict)
            for key, value in list(source._fields.items() if is_config else source.items()):
                old = self._fields.get(key)
                if isinstance(old, ConfigDict):
                    new = source[key] if is_config else computed(value)
                    if isinstance(new, proxies.Proxy):
                        new = {CONST: new._qualname}
                    old.update(new)
                elif isinstance(old, FieldReference) and isinstance(value, FieldReference):
                    raise with_fix(
                        TypeError(
                            "Cannot update a FieldReference from another FieldReference: %r" % key
                        ),
                        "assign the reference to the field after the call",
                    )
                else:
                    self[key] = value

    def update_from_flattened_dict(self, flat, strip_prefix=""):
        for path, value in flat.items():
            if path.startswith(strip_prefix):
                *parents, last = path[len(strip_prefix):].split(".")
                node = self
                for name in parents:
                    node = node[name]
                node[last] = value

    # ---- Locks and types.
    is_locked = property(lambda self: self._locked)
    is_type_safe = property(lambda self: self._type_safe)

    def lock(self):
        return self._mark("_locked", True)

    def unlock(self):
        return self._mark("_locked", False)

    def _mark(self, flag, value):
        for node in walk_nodes(self):
            _set(node, flag, value)
        return self

    @contextlib.contextmanager
    def unlocked(self):
        was_locked = self._locked
        self.unlock()
        try:
            yield self
        finally:
            if was_locked:
                self.lock()

    @contextlib.contextmanager
    def ignore_type(self):
        before = [(node, node._type_safe) for node in walk_nodes(self)]
        self._mark("_type_safe", False)
        try:
            yield self
        finally:
            for node, value in before:
                _set(node, "_type_safe", value)

    def get_type(self, key):
        value = self[key]
        field = self._fields[key]
        return field.get_type() if isinstance(field, FieldReference) else type(value)

    # ---- References.
    @property
    def ref(self):
        """A lazy pointer to this node."""
        return Ref(self)

    def get_ref(self, key):
        field = self._fields[key]
        if field is None:
            raise ValueError("Cannot create reference to a field whose value is None")
        if not isinstance(field, FieldReference):
            field = self._fields[key] = FieldReference(field)
        return field

    def get_oneway_ref(self, key):
        return self.get_ref(key).identity()

    # ---- Copies.
    def __copy__(self):
        new = ConfigDict()
        new._fields.update(self._fields)
        return new

    def __deepcopy__(self, memo):
        if "kd_nodes" not in memo:
            memo["kd_nodes"] = {id(node) for node in walk_nodes(self)}
        new = ConfigDict()
        _set(new, "_where", self._where)
        memo[id(self)] = new
        for key, value in self._fields.items():
            new._fields[key] = copy.deepcopy(value, memo)
        return new

    def __or__(self, other):
        new = copy.deepcopy(self)
        new.update(other)
        return new

    def copy_and_resolve_references(self, visit_map=None):
        seen = {} if visit_map is None else visit_map
        new = seen[id(self)] = ConfigDict()
        for key, value in self.items():
            if isinstance(value, ConfigDict):
                value = seen.get(id(value)) or value.copy_and_resolve_references(seen)
            new._fields[key] = value
        _set(new, "_locked", self._locked)
        return new

    def to_dict(self, visit_map=None, preserve_field_references=False):
        seen = {} if visit_map is None else visit_map
        out = seen[id(self)] = {}
        for key, value in self.items(preserve_field_references):
            if isinstance(value, ConfigDict):
                known = seen.get(id(value))
                value = value.to_dict(seen, preserve_field_references) if known is None else known
            out[key] = value
        return out

    # ---- Text and comparison.
    def to_json(self, **options):
        import json

        from kd_loader.kauldron_json import to_json

        settle(self, ConfigDict)
        return json.dumps(to_json(self), **options)

    def __repr__(self):
        from kd_loader.printing import build_repr

        return "<ConfigDict[%s]>" % build_repr(self)

    def __eq__(self, other):
        if not isinstance(other, ConfigDict):
            return False
        flags = self._locked == other._locked and self._type_safe == other._type_safe
        return flags and dict(self.items()) == dict(other.items())

    def eq_as_configdict(self, other):
        return isinstance(other, ConfigDict) and dict(self.items()) == dict(other.items())

    __hash__ = None


MutableMapping.register(ConfigDict)
proxies.make_node = ConfigDict


def _same_fix(error, cause):
    return with_fix(error, getattr(cause, "kd_fix", None))


def walk_nodes(value, seen=None):
    """All nodes at and below `value`, each once. References are not followed, cells are."""
    seen = {} if seen is None else seen
    if isinstance(value, ConfigDict):
        if id(value) not in seen:
            seen[id(value)] = value
            for child in value._fields.values():
                walk_nodes(child, seen)
    elif isinstance(value, (list, tuple)):
        for child in value:
            walk_nodes(child, seen)
    elif isinstance(value, FieldReference) and not value._ops and not isinstance(value, Ref):
        walk_nodes(value._value, seen)
    return list(seen.values())


def register_default_values(node, builtin=False):
    """Every node of the same name starts with a copy of these fields."""
    if not isinstance(node, ConfigDict) or QUALNAME not in node:
        raise with_fix(
            TypeError("register_default_values takes a call node, got %r" % (node,)),
            "pass what a proxy returns: konfig.register_default_values(kd.train.Trainer(...))",
        )
    name = node[QUALNAME]
    known = _defaults.get(name)
    if known is not None and known != node:
        raise with_fix(
            ValueError("%s is already registered: %r." % (name, known)),
            "set the fields on the config instead",
        )
    if not builtin and known is None:
        user_defaults.append(node)
    _defaults[name] = node
