"""Evaluation of an earlier run."""

from kauldron import konfig

with konfig.imports():
  from kauldron import kd


def get_config():
  cfg = kd.train.Trainer.eval_only()
  cfg.aux.wid = 3
  for split in ["train", "test"]:
    cfg.evals[f"eval_{split}"] = kd.evals.Evaluator(
        run=kd.evals.StandaloneLastCheckpoint(),
        ds=kd.data.tf.Tfds(name="mnist", split=split, shuffle=False),
        losses={"recon": kd.losses.L2(preds="preds.image", targets="batch.image")},
    )
  return cfg
