"""Time of the config operations in Kauldron: build, copy, JSON, print, parse and resolve.

Environment: Python 3.11; `pip install kauldron==1.4.2`, then `pip install jax==0.9.2 jaxlib==0.9.2`
(pip's complaint about flax is harmless). The first may keep pip's resolver busy for very long; with
`pip install uv`, `uv pip install kauldron==1.4.2` does the same in a minute.

Prints one JSON object: for each config the median milliseconds of each operation, null for one that
takes more than LIMIT seconds. No data set is read: of the autoencoder only the parts that need none
are resolved. A synthetic config is a tree of plain nodes with fan-out 10, three scalars per node.
"""

import contextlib
import copy
import json
import os
import statistics
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from kauldron import konfig  # pylint: disable=g-import-not-at-top

with konfig.imports(lazy=True):
    import optax
    from flax import linen as nn
    from kauldron import kd

SIZES = (100, 1_000, 10_000, 100_000)
FAN_OUT = 10
LIMIT = 30.0  # seconds, for a single call
BUDGET = 5.0  # seconds, for all repetitions of one operation
OPERATIONS = ("build", "copy", "json", "print", "parse", "resolve")

# Parts of the autoencoder that resolve without a data set.
PARTS = (
    ("model",),
    ("train_losses",),
    ("train_metrics",),
    ("train_summaries",),
    ("optimizer",),
    ("checkpointer",),
    ("train_ds", "transforms"),
    ("evals", "eval", "run"),
)


def dataset(split):
    train = split == "train"
    return kd.data.py.Tfds(
        name="mnist",
        split=split,
        shuffle=train,
        num_epochs=None if train else 1,
        batch_size=256,
        transforms=[
            kd.data.Elements(keep=["image"]),
            kd.data.ValueRange(key="image", vrange=(0, 1)),
        ],
    )


def autoencoder():
    cfg = kd.train.Trainer()
    cfg.seed = 42
    cfg.num_train_steps = 1000
    cfg.train_ds = dataset("train")
    cfg.model = kd.nn.FlatAutoencoder(
        inputs="batch.image",
        encoder=nn.Dense(features=128),
        decoder=nn.Dense(features=784),
    )
    cfg.train_losses = {"recon": kd.losses.L2(preds="preds.image", targets="batch.image")}
    cfg.train_metrics = {"latent_norm": kd.metrics.Norm(tensor="interms.encoder.__call__[0]")}
    cfg.train_summaries = {
        name: kd.summaries.ShowImages(images=key, num_images=5)
        for name, key in (("gt", "batch.image"), ("recon", "preds.image"))
    }
    cfg.schedules = {}
    cfg.optimizer = optax.adam(learning_rate=0.003)
    cfg.checkpointer = kd.ckpts.Checkpointer(save_interval_steps=500)
    cfg.evals = {
        "eval": kd.evals.Evaluator(
            run=kd.evals.EveryNSteps(100),
            num_batches=None,
            ds=dataset("test"),
            metrics={},
        )
    }
    return cfg


def resolve_parts(cfg):
    for path in PARTS:
        part = cfg
        for key in path:
            part = part[key]
        konfig.resolve(part)


def tree(size):
    """A config of `size` nodes, filled level by level."""
    nodes = [{"index": i, "rate": i * 0.5, "name": f"node_{i}"} for i in range(size)]
    for i in range(1, size):
        nodes[(i - 1) // FAN_OUT][f"child_{(i - 1) % FAN_OUT}"] = nodes[i]
    return konfig.ConfigDict(nodes[0])


def median_ms(call):
    """Median of 1 to 20 timed calls; None when a single one is over the limit."""
    times = []
    while len(times) < 20 and sum(times) < BUDGET:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
        if times[-1] > LIMIT:
            return None
    return statistics.median(times) * 1e3


def measure(build, resolve, smaller=None, growth=1.0):
    """All operations on one config; those that `smaller` shows to be hopeless are left out."""

    def hopeless(name):
        if smaller is None:
            return False
        return smaller[name] is None or smaller[name] * growth > LIMIT * 1e3

    result = dict.fromkeys(OPERATIONS)
    if hopeless("build"):
        return result
    cfg = build()
    text = cfg.to_json()
    resolve(cfg)  # the first time also imports modules
    calls = {
        "build": build,
        "copy": lambda: copy.deepcopy(cfg),
        "json": cfg.to_json,
        "print": lambda: repr(cfg),
        "parse": lambda: konfig.ConfigDict(json.loads(text)),
        "resolve": lambda: resolve(cfg),
    }
    for name, call in calls.items():
        if not hopeless(name):
            ms = median_ms(call)
            result[name] = None if ms is None else round(ms, 4)
    return result


def main():
    results = {"autoencoder": measure(autoencoder, resolve_parts)}
    smaller, last = None, None
    for size in SIZES:
        growth = size / last if last else 1.0
        smaller = measure(lambda size=size: tree(size), konfig.resolve, smaller, growth)
        results[f"synthetic_{size}"] = smaller
        last = size
    return results


if __name__ == "__main__":
    with contextlib.redirect_stdout(sys.stderr):
        out = main()
    print(json.dumps(out))
