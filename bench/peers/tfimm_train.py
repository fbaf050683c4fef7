"""An experiment of tfimm.train on Fashion-MNIST: tfimm_train.py parse|train [FLAGS]

`parse` prints the config that the flags give; `train` trains it, and prints when the first step was done, counted
from the start of the program, and what the others took. bench/compare_tfimm runs both.
"""
import os
import sys
import time

START = float(os.environ.get("START") or time.time())
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # tfimm was written for Keras 2
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import dataclasses

import numpy as np
import tensorflow as tf
import tfimm.train
from tfimm.train import config, registry

import fmnist


@dataclasses.dataclass
class FashionConfig:
  split: str
  batch_size: int
  repeat: bool = False
  shuffle: bool = False


@registry.cfg_serializable
class Fashion:
  cfg_class = FashionConfig

  def __init__(self, cfg):
    self.cfg = cfg

  def __iter__(self):
    ds = tf.data.Dataset.from_tensor_slices(fmnist.load(self.cfg.split))
    ds = ds.shuffle(3000) if self.cfg.shuffle else ds
    ds = ds.repeat() if self.cfg.repeat else ds
    ds = ds.batch(self.cfg.batch_size)
    return iter(ds.prefetch(tf.data.AUTOTUNE))


@dataclasses.dataclass
class CnnConfig:
  nb_classes: int = 10


@registry.cfg_serializable
class Cnn:
  """The model `cnn` of `kd run`."""

  cfg_class = CnnConfig
  tf_input_shape = (28, 28, 1)

  def __init__(self, cfg):
    self.cfg = cfg

  def __call__(self):
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((28, 28, 1))])
    for features in (32, 64):
      model.add(layers.Conv2D(features, 3, padding="same", activation="relu"))
      model.add(layers.MaxPool2D(2))
    model.add(layers.Flatten())
    model.add(layers.Dense(128, activation="relu"))
    model.add(layers.Dense(self.cfg.nb_classes))
    return model, lambda image: tf.cast(image, tf.float32) / 255


class Times:
  """Steps of a problem, with the time at their ends."""

  def __init__(self, problem):
    self.step, self.ends = problem.train_step, [time.time()]
    problem.train_step = self

  def __call__(self, data, it):
    out = self.step(data, it)
    self.ends.append(time.time())
    if len(self.ends) == 2:
      print(f"first step after {(self.ends[1] - START) * 1e3:.0f} ms", flush=True)
    return out


def main():
  mode = sys.argv.pop(1)
  cfg = {"cfg_file": os.path.splitext(__file__)[0] + ".yaml"}
  if mode == "parse":
    config.pprint(config.parse_args(cfg, cfg_class=tfimm.train.ExperimentConfig))
    return
  times = []
  problem = registry.get_class("ClassificationProblem")
  init = problem.__init__

  def timed(self, *args, **kwargs):
    init(self, *args, **kwargs)
    times.append(Times(self))

  problem.__init__ = timed
  tfimm.train.run(cfg)
  steps = np.diff(times[0].ends[2:]) * 1e3
  print(f"tfimm cnn: median {np.median(steps):.2f} ms, best {np.min(steps):.2f} ms")


if __name__ == "__main__":
  main()
