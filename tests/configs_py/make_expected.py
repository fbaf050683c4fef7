"""Writes expected.json: what Kauldron itself makes of the configs here, also after overrides.

Run by hand with a Python that has kauldron 1.4.2:  python make_expected.py
The tests read expected.json and need no kauldron.
"""

import importlib.util
import json
import os
import sys

from kauldron import konfig
from kauldron import kontext

HERE = os.path.dirname(os.path.abspath(__file__))

# file -> list of (text after ':', overrides)
RUNS = {
    "autoencoder.py": [
        ("", {}),
        ("", {"num_train_steps": 50, "workdir": "/tmp/x"}),
        ("", {"schedules.learning_rate.peak_value": 1}),
        ("", {"schedules.learning_rate": {"__qualname__": "optax:constant_schedule", "0": 0.1}}),
        ("", {"model.encoder.features": 8, "evals.eval.run[0]": 7}),
    ],
    "refs.py": [
        ("", {}),
        ("", {"aux.dim": 100, "aux.rate": 0.125, "aux.name": "zed"}),
        ("", {"aux.run": 5, "aux.shape": [1, 2, 3], "num_train_steps": 77}),
        ("", {"train_ds.batch_size": 7, "train_ds.name": "cifar10"}),
        ("", {"eval_ds.batch_size": 9, "eval_ds.split": "train"}),
        ("", {"dropout.encoder": 0.5, "model.layers_width": 9, "aux.nested.depth": 4}),
        ("", {"warmup_steps": 3, "both": "text", "schedules.lr[0]": 0.5}),
        ("", {"aux": {"dim": 1, "rate": 0.5, "name": "q", "parts": ["a", "b"], "shape": [5],
                      "run": 1, "nested": {"depth": 0}}}),
        ("", {"copied.encoder": 0.75}),
    ],
    "config_args.py": [
        ("", {}),
        ("variant='large',names=('a',),lr=0.5", {}),
        ("augment=True,batch_size=8", {"aux.batch_size": 3}),
    ],
    "sweep.py": [("", {}), ("", {"optimizer[0]": 0.5, "seed": 3})],
    "neighbour.py": [
        ("", {}),
        ("", {"model.encoder.features": 5, "train_ds.batch_size": 3}),
        ("", {"evals.train.ds.name": "other"}),
    ],
    "eval_only.py": [("", {}), ("", {"aux.xid": 123, "aux.wid": 9})],
    "unusual.py": [("", {}), ("", {"model.stages[1][0][0][0]": 7, "evals.train.run.n": 9})],
    "project/configs/standalone_evals.py": [
        ("", {}),
        ("", {"evals.train.run.platform": "cpu", "aux.width": 3}),
    ],
}


def build(name, args):
    sys.modules.pop("cfg_config", None)
    path = os.path.join(HERE, name)
    spec = importlib.util.spec_from_file_location("cfg_config", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["cfg_config"] = module
    with konfig.set_lazy_imported_modules():
        spec.loader.exec_module(module)
        return konfig.get_config_from_module(module, args)


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, HERE)
    out = []
    for name, runs in RUNS.items():
        for args, overrides in runs:
            cfg = build(name, args)
            for path, value in overrides.items():
                kontext.set_by_path(cfg, path, value)
            out.append({"file": name, "args": args, "overrides": overrides,
                        "json": cfg.to_json(), "repr": None if overrides else repr(cfg)})
    with open(os.path.join(HERE, "expected.json"), "w", encoding="utf-8") as f:
        json.dump(out, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
