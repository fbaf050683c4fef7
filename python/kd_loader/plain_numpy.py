"""`import numpy as np` outside `konfig.imports()`: the few functions that compute plain numbers."""

import math

from kd_loader.plain import PlainModule


class _Numbers(list):
    """A list of numbers with the methods of an array that configs use."""

    def tolist(self):
        return list(self)

    def astype(self, kind):
        return _Numbers(kind(v) for v in self)


def _linspace(start, stop, num=50, endpoint=True):
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    values = [start + i * step for i in range(num)]
    if endpoint and num > 1:
        values[-1] = float(stop)
    return _Numbers(float(v) for v in values)


def _logspace(start, stop, num=50, endpoint=True, base=10.0):
    return _Numbers(float(base) ** v for v in _linspace(start, stop, num, endpoint))


def _geomspace(start, stop, num=50, endpoint=True):
    logs = _linspace(math.log10(start), math.log10(stop), num, endpoint)
    values = [10.0**v for v in logs]
    if num:
        values[0] = float(start)
    if endpoint and num > 1:
        values[-1] = float(stop)
    return _Numbers(values)


def _arange(*args):
    start, stop, step = {1: (0, *args, 1), 2: (*args, 1), 3: args}[len(args)]
    count = max(0, math.ceil((stop - start) / step))
    return _Numbers(start + i * step for i in range(count))


def _array(values, dtype=None):
    return _Numbers(values if dtype is None or not callable(dtype) else map(dtype, values))


def _each(fn):
    """`fn` of a number, or of every number of a list."""

    def apply(value):
        is_list = isinstance(value, (list, tuple))
        return _Numbers(apply(v) for v in value) if is_list else float(fn(value))

    return apply


def _round(value, decimals=0):
    return float(round(value, decimals))


def make_module():
    module = PlainModule("numpy")
    for name in ("log", "log2", "log10", "log1p", "exp", "sqrt", "sin", "cos", "tan", "tanh",
                 "floor", "ceil"):
        setattr(module, name, _each(getattr(math, name)))
    module.prod, module.sum = math.prod, sum
    module.mean = lambda values: float(sum(values) / len(values))
    module.max, module.min, module.abs = max, min, abs
    module.power = lambda a, b: a**b
    module.round = module.around = _round
    module.linspace, module.logspace = _linspace, _logspace
    module.geomspace, module.arange = _geomspace, _arange
    module.array = module.asarray = _array
    module.pi, module.e, module.inf, module.nan = math.pi, math.e, math.inf, math.nan
    return module
