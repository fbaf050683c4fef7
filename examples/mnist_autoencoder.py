"""The autoencoder as a Kauldron user writes it. It needs MNIST as TFDS prepares it:

  kd train --cfg=examples/mnist_autoencoder.py

Without it, Fashion-MNIST can take its place, which the run then says:

  kd train --cfg=examples/mnist_autoencoder.py \
      --cfg.train_ds.substitute=fashion_mnist --cfg.evals.eval.ds.substitute=fashion_mnist
"""

from kauldron import konfig

with konfig.imports():
  from flax import linen as nn
  from kauldron import kd
  import optax


def get_config():
  cfg = kd.train.Trainer()
  cfg.seed = 42
  cfg.train_ds = _make_ds(training=True)
  cfg.model = kd.nn.FlatAutoencoder(
      inputs="batch.image",
      encoder=nn.Dense(features=128),
      decoder=nn.Dense(features=28 * 28),
  )
  cfg.num_train_steps = 1000
  cfg.train_losses = {
      "recon": kd.losses.L2(preds="preds.image", targets="batch.image"),
  }
  cfg.train_metrics = {
      "latent_norm": kd.metrics.Norm(tensor="interms.encoder.__call__[0]"),
  }
  cfg.train_summaries = {
      "gt": kd.summaries.ShowImages(images="batch.image", num_images=5),
      "recon": kd.summaries.ShowImages(images="preds.image", num_images=5),
  }
  cfg.optimizer = optax.adam(learning_rate=0.003)
  cfg.checkpointer = kd.ckpts.Checkpointer(save_interval_steps=500)
  cfg.evals = {
      "eval": kd.evals.Evaluator(
          run=kd.evals.EveryNSteps(100),
          num_batches=None,
          ds=_make_ds(training=False),
          metrics={},
      )
  }
  return cfg


def _make_ds(training):
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
