"""Evaluators in a job of their own; two of them share it. Lives in a package."""

from kauldron import konfig
from project.configs import base

with konfig.imports():
  from kauldron import kd
  from project import lib


def get_config():
  cfg = base.get_config()
  cfg.num_train_steps = 10_000
  shared_run = kd.evals.StandaloneEveryCheckpoint(job_group="grouped")
  cfg.evals = {
      "train": kd.evals.Evaluator(run=shared_run, ds=base.make_ds("train")),
      "test": kd.evals.Evaluator(run=shared_run, ds=base.make_ds("test"), metrics={}),
      "alone": kd.evals.Evaluator(
          run=kd.evals.StandaloneEveryCheckpoint(platform="a100=1"),
          ds=base.make_ds("test"),
      ),
  }
  cfg.model = lib.sizes.Model(width=cfg.ref.aux.width)
  return cfg
