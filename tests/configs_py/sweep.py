"""Sweeps: plain values, tuples, and whole nodes."""

import itertools

from kauldron import konfig

with konfig.imports():
  from kauldron import kd
  import optax


def get_config():
  cfg = kd.train.Trainer(seed=0, num_train_steps=10)
  cfg.optimizer = optax.adam(1e-3)
  return cfg


def sweep():
  for seed, lr in itertools.product(range(2), (1e-3, 1e-4)):
    yield {"seed": seed, "optimizer[0]": lr}


def sweep_optimizer():
  return [
      {"optimizer": optax.sgd(learning_rate=lr, momentum=0.9)} for lr in (0.1, 0.01)
  ]


def sweep_kinds():
  yield {"model": kd.nn.relu, "shape": (1, None), "name": "a", "flag": True}


if __name__ == "__main__":
  raise RuntimeError("a config is never run as a program")
