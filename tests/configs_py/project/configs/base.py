"""What the configs of this project share."""

from kauldron import kd, konfig

with konfig.imports():
  import optax


def get_config():
  with konfig.mock_modules():
    cfg = kd.train.Trainer(aux={"width": 48}, train_ds=make_ds("train"))
    cfg.optimizer = kd.optim.named_chain(
        clip=optax.clip_by_global_norm(1.0), adam=optax.scale_by_adam()
    )
  return cfg


def make_ds(split):
  with konfig.mock_modules():
    return kd.data.py.Tfds(name="mnist", split=split)
