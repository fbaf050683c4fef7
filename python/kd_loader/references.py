"""Lazy values: cells (placeholders, two-way references) and the expressions behind `cfg.ref`."""

import copy
import functools
import operator

from kd_loader.errors import MutabilityError, RequiredValueError, with_fix

_NONE = type(None)


class Op:
    """One step of an expression. `kind` and `name` say what it is, `fn` does it."""

    __slots__ = ("kind", "name", "fn", "args", "keywords")

    def __init__(self, kind, name, fn, args=(), keywords=()):
        self.kind = kind  # attr item binary reflected unary cast identity call fn
        self.name = name
        self.fn = fn
        self.args = list(args)
        self.keywords = list(keywords)  # names of the last arguments of a call


def computed(value):
    """The value itself, or what the reference stands for now."""
    return value.get() if isinstance(value, FieldReference) else value


def safe_cast(value, field_type, type_safe=False):
    """`value` for a field of this type: the few conversions allowed, a TypeError otherwise."""
    if isinstance(value, int) and field_type is float:
        return float(value)
    if isinstance(value, str) and field_type is str:
        return value
    if isinstance(value, tuple) and field_type is list:
        return list(value)
    if isinstance(value, list) and field_type is tuple:
        return tuple(value)
    if type_safe and value is not None and field_type is not _NONE:
        if not isinstance(value, field_type):
            raise TypeError(
                "%s is of original type %s and cannot be casted to type %s"
                % (value, type(value), field_type)
            )
    return value


@functools.total_ordering
class FieldReference:
    """A cell: a typed value that several fields may share. Operators on it are lazy."""

    _none_stays_none = True  # an operator on None gives None

    def __init__(self, default, field_type=None, op=None, required=False):
        if field_type is None:
            if default is None:
                raise ValueError("Default value cannot be None if field_type is None")
            is_ref = isinstance(default, FieldReference)
            field_type = default.get_type() if is_ref else type(default)
        else:
            try:
                isinstance(None, field_type)
            except TypeError:
                raise with_fix(
                    TypeError("field_type should be a type, not %s" % type(field_type)),
                    "pass int, float, str, bool, list, tuple or object",
                ) from None
        self._field_type = field_type
        self._ops = []
        self._value = None
        self.set(default)
        self._required = required
        self._written = False
        if op is not None:
            self._ops = [op]

    def _derive(self, op, field_type):
        return type(self)(self, field_type=field_type, op=op)

    def _apply_op(self, op, new_type=None):
        op.args = [safe_cast(arg, self._field_type) for arg in op.args]
        return self._derive(op, self._field_type if new_type is None else new_type)

    def _cast(self, name, field_type):
        new = FieldReference(None, field_type=field_type)
        new._value = self
        new._ops = [Op("cast", name, field_type)]
        return new

    # ---- Reading and writing.
    def get(self):
        if self._required and self._value is None:
            raise with_fix(
                RequiredValueError("None value found in required reference"),
                "set the field in the config or on the command line",
            )
        value = computed(self._value)
        for op in self._ops:
            args = [computed(arg) for arg in op.args]
            if self._none_stays_none and (value is None or any(a is None for a in args)):
                value = None
            else:
                value = computed(op.fn(value, *args))
        return value

    def set(self, value, type_safe=True):
        old, self._ops, self._written = self._value, [], True
        if isinstance(value, FieldReference):
            if type_safe and not issubclass(value.get_type(), self.get_type()):
                raise with_fix(
                    TypeError(
                        "Reference is of type %s but should be of type %s"
                        % (value.get_type(), self.get_type())
                    ),
                    "give the placeholder the type object, or store the value itself",
                )
            self._value = value
            if self.has_cycle():
                self._value = old
                raise MutabilityError("Found cycle in reference graph.")
        else:
            self._value = safe_cast(value, self._field_type, type_safe)

    def has_cycle(self, visited=()):
        if any(seen is self for seen in visited):
            return True
        visited = tuple(visited) + (self,)
        followers = [self._value] + [arg for op in self._ops for arg in op.args]
        return any(isinstance(f, FieldReference) and f.has_cycle(visited) for f in followers)

    def empty(self):
        return self._value is None

    def get_type(self):
        return self._field_type

    def identity(self):
        return self._apply_op(Op("identity", "", lambda x: x))

    def attr(self, name):
        return self._apply_op(Op("attr", name, operator.attrgetter(name)))

    def to_int(self):
        return self._cast("int", int)

    def to_float(self):
        return self._cast("float", float)

    def to_str(self):
        return self._cast("str", str)

    # ---- Comparison of cells is immediate; see Ref for the lazy kind.
    def __eq__(self, other):
        return self.get() == computed(other)

    def __le__(self, other):
        return self.get() <= computed(other)

    __hash__ = None

    def __bool__(self):
        raise with_fix(
            NotImplementedError(
                "FieldReference cannot be used for control flow. For boolean operations use"
                ' "&" (logical "and") or "|" (logical "or").'
            ),
            "read the value itself (cfg.x instead of cfg.ref.x), or use konfig.ref_fn",
        )

    def __repr__(self):
        try:
            return "FieldReference(%r)" % (self.get(),)
        except Exception:
            return "FieldReference(<Unresolved>)"

    def __neg__(self):
        return self._apply_op(Op("unary", "-", operator.neg))

    def __abs__(self):
        return self._apply_op(Op("unary", "abs", operator.abs))

    def __deepcopy__(self, memo):
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        state = dict(self.__dict__)
        inside = memo.get("kd_nodes", ())
        target = self._value
        if isinstance(self, Ref) and not isinstance(target, FieldReference):
            # A reference into a config that is not copied keeps pointing there.
            if not self._written and id(target) not in inside:
                copied = target
            else:
                copied = copy.deepcopy(target, memo)
        else:
            copied = copy.deepcopy(target, memo)
        state["_value"] = copied
        state["_ops"] = [
            Op(op.kind, op.name, op.fn, [copy.deepcopy(a, memo) for a in op.args], op.keywords)
            for op in self._ops
        ]
        new.__dict__.update(state)
        return new


def _binary(symbol, fn):
    return lambda self, other: self._apply_op(Op("binary", symbol, fn, [other]))


def _reflected(symbol, fn):
    return lambda self, other: self._apply_op(
        Op("reflected", symbol, lambda value, left: fn(left, value), [other])
    )


for _name, _symbol, _fn in (
    ("add", "+", operator.add),
    ("sub", "-", operator.sub),
    ("mul", "*", operator.mul),
    ("truediv", "/", operator.truediv),
    ("floordiv", "//", operator.floordiv),
    ("pow", "**", operator.pow),
    ("mod", "%", operator.mod),
    ("and", "&", operator.and_),
    ("or", "|", operator.or_),
    ("xor", "^", operator.xor),
):
    setattr(FieldReference, "__%s__" % _name, _binary(_symbol, _fn))
    if _symbol in ("+", "-", "*", "/", "//"):
        setattr(FieldReference, "__r%s__" % _name, _reflected(_symbol, _fn))


class Ref(FieldReference):
    """What `cfg.ref` gives: fields, items, calls, operators and comparisons are all lazy."""

    _none_stays_none = False

    def __setattr__(self, name, value):
        if not name.startswith("_"):
            raise with_fix(
                AttributeError("FieldReference do not support setting attribute (%s)." % name),
                "write to the config itself: cfg.x.%s = ... instead of cfg.ref.x.%s" % (name, name),
            )
        super().__setattr__(name, value)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__") and name != "__qualname__":
            raise AttributeError(name)
        return self._apply_op(Op("attr", name, operator.attrgetter(name)), object)

    def __getitem__(self, key):
        op = Op("item", "", lambda value, k: value[k], [key])
        return self._derive(op, object)

    def __call__(self, *args, **kwargs):
        count, names = len(args), list(kwargs)

        def call(value, *flat):
            return value(*flat[:count], **dict(zip(names, flat[count:])))

        return self._apply_op(Op("call", "", call, [*args, *kwargs.values()], names), object)

    def __iter__(self):
        raise with_fix(
            TypeError("%s object is not iterable" % type(self).__name__),
            "iterate over the value itself (cfg.x instead of cfg.ref.x)",
        )

    def __bool__(self):
        raise with_fix(
            NotImplementedError(
                "%r (path: cfg.ref.%s) cannot be used for control flow. For boolean operations"
                ' use "&" (logical "and") or "|" (logical "or").' % (self, path_text(self))
            ),
            "read the value itself (cfg.x instead of cfg.ref.x), or use konfig.ref_fn",
        )

    __hash__ = None


for _name, _symbol in (
    ("eq", "=="), ("ne", "!="), ("gt", ">"), ("lt", "<"), ("ge", ">="), ("le", "<="),
):
    setattr(Ref, "__%s__" % _name, _binary(_symbol, getattr(operator, _name)))


def path_text(ref):
    """'a.b['c']' of the fields a reference goes through."""
    parts = []
    while isinstance(ref, FieldReference):
        for op in reversed(ref._ops):
            if op.kind == "attr":
                parts.append(op.name)
            elif op.kind == "item":
                parts.append("[%r]" % (op.args[0],))
        ref = ref._value
    return ".".join(reversed(parts)) or "<root>"


def ref_fn(fn, *args, **kwargs):
    """`fn` as a lazy function: called on every read, with references replaced by their values."""
    if args or kwargs:
        return ref_fn(fn)(*args, **kwargs)

    @functools.wraps(fn)
    def decorated(*args, **kwargs):
        count, names = len(args), list(kwargs)

        def call(_, *flat):
            return fn(*flat[:count], **dict(zip(names, flat[count:])))

        name = getattr(fn, "__name__", type(fn).__name__)
        start = Ref(None, field_type=object)
        return start._apply_op(Op("fn", name, call, [*args, *kwargs.values()], names))

    return decorated


def placeholder(field_type=object, *, required=False, default=None):
    """A typed field without a value yet."""
    return FieldReference(default, field_type=field_type, required=required)


def required(field_type=object):
    """The same as `placeholder(field_type)`, as in Kauldron."""
    return placeholder(field_type)
