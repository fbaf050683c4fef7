"""References of every kind: fields, items, operators, methods, placeholders, copies."""

import copy
import functools

from kauldron import konfig
from kauldron import kontext

with konfig.imports():
  from flax import linen as nn
  import jax.numpy as jnp
  from kauldron import kd
  from kauldron import kxm
  import optax

BATCH = kontext.path_builder_from("batch", object)


@konfig.ref_fn
def _join(parts, sep="/"):
  return sep.join(parts)


def get_config():
  cfg = kd.train.Trainer()
  cfg.aux = {
      "dim": 32,
      "rate": 0.5,
      "name": "base",
      "parts": ["a", "b"],
      "shape": (4, 8),
      "run": konfig.placeholder(int),
      "nested": {"depth": 2},
  }
  cfg.num_train_steps = 1000

  # Operators, also reflected and comparisons.
  cfg.warmup_steps = cfg.ref.num_train_steps // 10
  cfg.half = 1 - cfg.ref.aux.rate
  cfg.power = cfg.ref.aux.dim**2
  cfg.both = cfg.ref.aux.dim * cfg.ref.aux.nested.depth + 1
  cfg.negative = -cfg.ref.aux["dim"]
  cfg.as_float = cfg.ref.aux.dim.to_float()
  cfg.is_big = cfg.ref.aux.dim > 16
  cfg.run = cfg.ref.aux.run

  # Items of lists and tuples, methods.
  cfg.first = cfg.ref.aux.parts[0]
  cfg.last = cfg.ref.aux.shape[-1]
  cfg.upper = cfg.ref.aux.name.upper()
  cfg.joined = _join(cfg.ref.aux.parts, sep="-")

  # References inside calls, lists and nodes that are not the root.
  cfg.model = kd.nn.Sequential([
      nn.Dense(features=cfg.ref.aux.dim, dtype=jnp.bfloat16),
      nn.Dense(cfg.ref.aux.dim * 2, kernel_init=functools.partial(nn.initializers.normal, 0.02)),
  ])
  cfg.model.width = cfg.model.ref.layers_width
  cfg.model.layers_width = 7
  cfg.sizes = [cfg.ref.aux.dim, 1, (cfg.ref.aux.dim, 2)]
  cfg.loss = kd.losses.L2(preds="preds.image", targets=BATCH.image[0])

  # One node in two places, and a copy that follows the original.
  shared = optax.constant_schedule(1e-3)
  cfg.schedules["lr"] = shared
  cfg.optimizer = optax.adam(learning_rate=shared, b1=cfg.ref.aux.rate)
  cfg.train_ds = kd.data.py.Tfds(name="mnist", split="train", batch_size=64)
  cfg.eval_ds = konfig.ref_copy(cfg.train_ds)
  cfg.eval_ds.split = "test"
  cfg.train_ds.batch_size = 128

  # Two fields of one cell; a copy with its own references.
  cell = konfig.placeholder(float, default=0.25)
  cfg.dropout = {"encoder": cell, "decoder": cell}
  cfg.dropout.encoder = 1
  cfg.copied = copy.deepcopy(cfg.dropout) | {"extra": cfg.ref.aux.nested}
  cfg.table = {1: "one", 2.5: None, True: "yes"}
  cfg.xm_job.platform = "a100=8"
  cfg.xm_job.args["workdir"] = kxm.WU_DIR_PROXY
  return cfg
