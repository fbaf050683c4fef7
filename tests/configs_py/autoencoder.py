"""A small autoencoder: one optimiser, one schedule shared by reference, one evaluator."""

from kauldron import konfig

with konfig.imports():
  from flax import linen as nn
  from kauldron import kd
  import optax


def get_config() -> kd.train.Trainer:
  cfg = kd.train.Trainer()
  cfg.seed = 42
  cfg.train_ds = _make_ds(training=True)
  cfg.model = kd.nn.FlatAutoencoder(
      inputs="batch.image",
      encoder=nn.Dense(features=64),
      decoder=nn.Dense(features=28 * 28, kernel_init=nn.initializers.zeros),
  )
  cfg.num_train_steps = 2_000
  cfg.train_losses = {
      "recon": kd.losses.L2(preds="preds.image", targets="batch.image"),
  }
  cfg.train_metrics = {
      "latent_norm": kd.metrics.Norm(tensor="interms.encoder.__call__[0]"),
      "param_norm": kd.metrics.TreeMap(metric=kd.metrics.Norm(tensor="params", axis=None)),
  }
  cfg.schedules = {
      "learning_rate": optax.warmup_cosine_decay_schedule(
          init_value=0.0,
          peak_value=3e-3,
          warmup_steps=100,
          decay_steps=cfg.ref.num_train_steps,
      )
  }
  cfg.optimizer = optax.chain(
      optax.clip_by_global_norm(1.0),
      optax.adam(learning_rate=cfg.ref.schedules["learning_rate"]),
  )
  cfg.checkpointer = kd.ckpts.Checkpointer(save_interval_steps=500)
  cfg.evals["eval"] = kd.evals.Evaluator(
      run=kd.evals.EveryNSteps(100),
      num_batches=None,
      ds=_make_ds(training=False),
      metrics={},
  )
  cfg.setup.note_template = "Seed: {cfg.seed}"
  return cfg


def _make_ds(training: bool):
  return kd.data.py.Tfds(
      name="mnist",
      split="train" if training else "test",
      shuffle=training,
      num_epochs=None if training else 1,
      batch_size=256,
      transforms=[
          kd.data.Elements(keep=["image"]),
          kd.data.ValueRange(key="image", vrange=(0, 1)),
      ],
  )
