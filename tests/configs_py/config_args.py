"""A config with arguments: branches on them, and loops over them."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Optional

from kauldron import konfig

with konfig.imports(lazy=True):
  from kauldron import kd
  import optax


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConfigArgs:
  variant: str = "small"
  names: tuple[str, ...] = ("mnist", "cifar10")
  batch_size: int = 64
  lr: float = 1e-3
  augment: bool = False
  note: Optional[str] = None


def get_config(args: ConfigArgs = ConfigArgs()) -> kd.train.Trainer:
  cfg = kd.train.Trainer()
  cfg.aux = args
  cfg.source = pathlib.Path(__file__).name
  width = {"small": 64, "large": 512}[args.variant]
  cfg.model = kd.nn.MLP(hidden_size=width, input="batch.image")
  cfg.train_ds = kd.data.py.Mix(
      datasets=[_dataset(name, args) for name in args.names],
      batch_size=args.batch_size,
  )
  cfg.optimizer = optax.adam(args.lr)
  return cfg


def _dataset(name: str, args: ConfigArgs):
  transforms = [kd.data.Elements(keep=["image", "label"])]
  if args.augment:
    transforms.append(kd.data.py.RandomCrop(key="image", shape=(32, 32, None)))
  return kd.data.py.Tfds(name=name, split="train", transforms=transforms)


def sweep_names():
  for names in (("mnist",), ("mnist", "cifar10")):
    yield {"__args__.names": names, "__args__.batch_size": 32 * len(names)}
