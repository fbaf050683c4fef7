"""Unusual but legal Python: helpers of many kinds around the nodes."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import itertools
import math

from kauldron import konfig
import jax.numpy as jnp

with konfig.imports(lazy=True):
    from flax import linen as nn
    from kauldron import kd
    import optax
    import my_project.models.resnet as resnet_lib
    from my_project import data, losses as my_losses

Crop = collections.namedtuple("Crop", "height width")


class Size(enum.IntEnum):
    SMALL = 16
    LARGE = 64


@dataclasses.dataclass
class _Stage:
    width: int
    depth: int = 2

    def build(self):
        return nn.Sequential([nn.Dense(self.width) for _ in range(self.depth)])


def _logged(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        return fn(*args, **kwargs)

    return inner


@_logged
def _optimizer(lr: float, *, decay: float = 1e-4):
    parts = (optax.clip_by_global_norm(1.0), None, optax.adamw(lr, weight_decay=decay))
    return optax.chain(*(p for p in parts if p is not None))


class Builder:
    base = 4

    @staticmethod
    def dense(n):
        return nn.Dense(features=n * Builder.base)

    @classmethod
    def stack(cls, *sizes):
        return [cls.dense(n) for n in sizes]


def _numbers():
    yield from (1, 2)
    yield 3


def get_config():
    cfg = kd.train.Trainer(seed=sum(_numbers()))
    cfg.model = resnet_lib.ResNet(
        stages=[stage.build() for stage in map(_Stage, (8, 16))],
        size=int(Size.LARGE),
        crop=tuple(Crop(1, 2)),
        activation=functools.partial(nn.gelu, approximate=False),
    )
    cfg.optimizer = _optimizer(lr := 3e-4, decay=lr / 3)
    cfg.num_train_steps = math.ceil(1281167 / 256) * 90
    cfg.train_losses = {
        f"{name.lower()}_{i}": getattr(kd.losses, name)(preds=f"preds.{i}", targets="batch.x")
        for i, name in enumerate(["L2", "L1"])
    }
    cfg.train_losses["mine"] = my_losses.Mine()
    cfg.train_metrics = dict(zip("ab", (kd.metrics.Norm(tensor=key) for key in ("x", "y"))))
    cfg.aux = dict(grid=list(itertools.product([1, 2], "ab")), pick={"x": (1, 2.0, None, True)})
    cfg.train_ds = data.Mix(*[data.One(name) for name in "xyz"], **dict([("seed", 1)]))
    cfg.evals = {}
    for split in ("train", "test"):
        cfg.evals[split] = kd.evals.Evaluator(run=kd.evals.EveryNSteps(100))
        cfg.evals[split].metrics = cfg.train_metrics
    cfg.evals["train"].run.n = 5
    del cfg.evals["test"].metrics
    cfg.setup.update(note_template="x", tags=["a"])
    for key, value in {"p": 1, "q": [2]}.items():
        setattr(cfg.aux, key, value)
    assert "p" in cfg.aux and cfg.aux.get("absent", 5) == 5
    with konfig.mock_modules():
        cfg.aux.dtype = jnp.bfloat16
    cfg.aux.layers = Builder.stack(1, 2)
    return cfg


def sweep():
    with konfig.mock_modules():
        for n in (1, 2):
            yield {"aux.dtype": jnp.float32, "aux.layers": Builder.stack(n)}


sweep_lambda = lambda: [{"seed": 1}]  # noqa: E731
