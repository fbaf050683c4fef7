"""Another config, changed."""

import autoencoder
from project.lib import sizes

from kauldron import konfig

with konfig.imports():
  from kauldron import kd


def get_config():
  cfg = autoencoder.get_config()
  cfg.seed = 7
  cfg.model.encoder.features = sizes.WIDTH
  cfg.model.decoder = cfg.model.encoder
  del cfg.train_metrics["param_norm"]
  cfg.sharding = kd.sharding.ShardingStrategy(params=kd.sharding.REPLICATED)
  cfg.evals.update(train=kd.evals.Evaluator(run=kd.evals.Once(10), ds=cfg.ref.train_ds))
  return cfg
