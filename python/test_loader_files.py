"""Tests of the loader: imports, arguments, sweeps and the output."""

import os
import tempfile
import unittest

from testing import HEAD, LoaderTest, run, run_program


class Imports(LoaderTest):
    def test_separator_rule(self):
        cfg = self.config("""
with konfig.imports(lazy=True):
  import a1.b.c
  import a2.b
  import a3
  from a4 import c as c4
  import a6.b as q
  import math
with konfig.set_lazy_imported_modules():
  with konfig.imports():
    import a7.b
cfg.all = [a1.b.c(), a2.b.c.d(), a3.b.C(), c4.x.y(), q.F(), a7.b.F(), math.sqrt(4)]
cfg.same = a3.b is a3.b and bool(a3)
""")
        names = [n["__qualname__"] for n in cfg["all"]]
        self.assertEqual(names, ["a1.b.c", "a2.b:c.d", "a3:b.C", "a4.c:x.y", "a6.b:F", "a7.b:F",
                                 "math:sqrt"])
        self.assertTrue(cfg["same"])

    def test_neighbours(self):
        self.write("other.py", "from kauldron import konfig\nwith konfig.imports():\n"
                               "  import optax\ndef make(): return optax.sgd(1)\n")
        self.write("pkg/__init__.py", "import torch\nX = 3\n")
        self.write("pkg/sub.py", "from . import X\nfrom .deep.leaf import Y\n")
        self.write("pkg/deep/leaf.py", "Y = 4\n")
        out = self.load("""
import other
from . import other as again
from pkg import sub, X
import pkg.deep.leaf as leaf
def get_config():
  return {"o": other.make(), "x": X, "y": sub.Y + leaf.Y, "z": again.make()}
""")
        self.assertEqual(out["config"]["o"], {"__qualname__": "optax:sgd", "0": 1})
        self.assertEqual((out["config"]["x"], out["config"]["y"]), (3, 8))
        self.assertEqual(sorted(os.listdir(self.folder)), ["config.py", "other.py", "pkg"])

    def test_package_above_the_config(self):
        self.write("exp/configs/base.py", "from kauldron import konfig\nNAME = 'base'\n")
        self.write("kauldron/__init__.py", "raise RuntimeError('never run')\n")
        self.write("kauldron/proj/cfg.py",
                   "from kauldron import konfig\ndef get_config(): return 5\n")
        out = self.load("""
from exp.configs import base
from kauldron.proj import cfg
from kauldron import konfig
def get_config():
  return konfig.ConfigDict({"a": base.NAME, "b": cfg.get_config()})
""", name="exp/configs/mine.py")
        self.assertEqual(out["config"], {"a": "base", "b": 5})

    def test_plain_imports_are_tolerated(self):
        out = self.load("""
from __future__ import annotations
import dataclasses, json, math, os, typing
import jax, numpy as np, tensorflow as tf
import jax.numpy as jnp
from absl import logging
from etils import epath
from flax import linen as nn
from kauldron.typing import Float, typechecked
import torch.nn.functional as F

class Model(nn.Module):
  x: Float["b"] = jnp.float32
  @nn.compact
  @typechecked
  def __call__(self, v: jax.Array | None) -> "jax.Array": return F.relu(v)

def get_config() -> nn.Module:
  logging.info("hello")
  here = epath.Path(__file__).parent
  rates = np.logspace(-3, -1, 3).tolist()
  return {"a": np.sqrt(4.0), "lr": rates, "p": here / "x", "n": Model.__name__}
""")
        cfg = out["config"]
        self.assertEqual(cfg["a"], 2.0)
        self.assertEqual(len(cfg["lr"]), 3)
        self.assertEqual(cfg["p"]["__path__"], os.path.join(self.folder, "x"))

    def test_mock_modules(self):
        out = self.load("""
import math
from kauldron import kd, konfig
from kauldron.kd import konfig as same
import optax
def get_config():
  import flax.linen as nn
  with kd.konfig.mock_modules():
    cfg = kd.train.Trainer()
    cfg.model = nn.Dense(1)
    cfg.opt = optax.adam(math.sqrt(2))
    later = nn.relu
  cfg.kept = math.sqrt(4.0)
  cfg.f = later
  return cfg
""")
        cfg = out["config"]
        self.assertEqual(cfg["model"]["__qualname__"], "flax.linen:Dense")
        self.assertEqual(cfg["opt"]["0"]["__qualname__"], "math:sqrt")
        self.assertEqual(cfg["kept"], 2.0)
        self.assertEqual(cfg["f"], {"__const__": "flax.linen:relu"})

    def test_konfig_names(self):
        out = self.load("""
import konfig
import ml_collections
from kauldron.konfig import ConfigDict, placeholder
from kauldron.konfig.configdict_base import ConfigDict as C2
from kauldron import kontext
from kauldron.kontext import path_builder_from
class Base(konfig.WithRef): pass
def f(x: konfig.ConfigDictLike[int]): pass
def get_config():
  assert ConfigDict is C2 is ml_collections.ConfigDict
  batch = kontext.path_builder_from("batch", object)
  cfg = ml_collections.config_dict.create(k=batch.image["a"][0], r=kontext.REQUIRED)
  kontext.set_by_path(cfg, "new", 1)
  return cfg
""")
        self.assertEqual(out["config"], {"k": "batch.image['a'][0]", "r": "__KEY_REQUIRED__",
                                         "new": 1})


class Calling(LoaderTest):
    ARGS = """
import dataclasses
from typing import Optional
from kauldron import konfig
@dataclasses.dataclass(frozen=True, kw_only=True)
class ConfigArgs:
  name: str = "m"
  size: int = 3
  lr: float = 0.5
  flag: bool = False
  pair: tuple[int, ...] = (1, 2)
  more: Optional[str] = None
def get_config(args: ConfigArgs = ConfigArgs()):
  return konfig.ConfigDict({"aux": args})
"""

    def aux(self, *args):
        return self.load(self.ARGS, *args)["config"]["aux"]

    def test_config_args(self):
        out = self.load(self.ARGS)
        self.assertTrue(out["has_config_args"])
        self.assertEqual(out["config_args"][1], {"name": "size", "type": "int", "default": 3})
        self.assertEqual(out["config_args"][4]["default"], {"__tuple__": [1, 2]})
        aux = self.aux("--args", "name='a=b,c',size = 4,pair=(3,4),", "--arg", "size=5")
        self.assertEqual((aux["name"], aux["size"]), ("a=b,c", 5))
        self.assertEqual(aux["pair"], {"__tuple__": [3, 4]})

    def test_kind_conversions(self):
        aux = self.aux("--args", "name=x/y,lr=1", "--arg", "pair=[7]", "--arg", "flag=1",
                       "--arg", "more=text", "--arg", "size=1e3")
        self.assertEqual(aux["name"], "x/y")
        self.assertEqual((aux["lr"], aux["flag"], aux["size"]), (1.0, True, 1000))
        self.assertEqual((aux["pair"], aux["more"]), ({"__tuple__": [7]}, "text"))
        self.assertEqual(self.aux("--arg", "name=012")["name"], "012")
        self.assertEqual(self.aux("--arg", 'pair={"__tuple__": [9]}')["pair"], {"__tuple__": [9]})

    def test_wrong_args(self):
        err = self.fails(self.ARGS, "--arg", "sise=1")
        self.assertIn("no field 'sise'; did you mean 'size'?", err)
        self.assertIn("use one of: name, size, lr", err)
        self.assertIn("ConfigArgs.size: expected int, got 'oops'",
                      self.fails(self.ARGS, "--args", "size=oops"))
        self.assertIn("cannot read the arguments", self.fails(self.ARGS, "--args", "just text"))
        needs = self.ARGS.replace('name: str = "m"', "name: str").replace("= ConfigArgs()", "")
        self.assertIn("needs a value for: name", self.fails(needs))

    def test_text_argument(self):
        source = "def get_config(text=''):\n  return {'t': text}\n"
        self.assertEqual(self.load(source, "--args", "a:b=c")["config"], {"t": "a:b=c"})
        self.assertEqual(self.load(source)["config"], {"t": ""})
        out = self.load(source, "--arg", "x=1")
        self.assertFalse(out["has_config_args"])
        self.assertIn("no effect", out["warnings"][0]["message"])

    def test_sweeps(self):
        source = HEAD + """  return cfg
def sweep():
  for i in range(2):
    yield {"seed": i, "opt": optax.adam(i), "t": (1, i)}
def sweep_b():
  return [{"f": nn.relu}]
sweeping = 1
"""
        out = self.load(source, "--sweep=*")
        self.assertEqual(out["sweep_names"], ["sweep", "sweep_b"])
        self.assertEqual(out["sweeps"]["sweep"][1], {
            "seed": 1, "opt": {"__qualname__": "optax:adam", "0": 1}, "t": {"__tuple__": [1, 1]}})
        self.assertEqual(out["sweeps"]["sweep_b"], [{"f": {"__const__": "flax.linen:relu"}}])
        self.assertEqual(self.load(source)["sweeps"], {})
        broken = self.load(source + "def sweep_c(): yield 3\n", "--sweep=*")["sweeps"]
        self.assertIn("yield dicts", broken["sweep_c"]["message"])
        self.assertEqual(broken["sweep_b"], out["sweeps"]["sweep_b"])
        self.assertEqual(list(self.load(source, "--sweep=sweep_b")["sweeps"]), ["sweep_b"])

    def test_output(self):
        path = self.write("p.py", "print('noise')\ndef get_config(): return {'a': 1}\n")
        for call in (run, run_program):
            code, out, err = call(path, "--kauldron-json")
            self.assertEqual((code, out, err), (0, '{"a": 1}\n', "noise\n"))
        with tempfile.TemporaryFile("w+") as f:
            self.assertEqual(run(path, "--kauldron-json", "--json-out", str(f.fileno()))[1], "")
            f.seek(0)
            self.assertEqual(f.read(), '{"a": 1}\n')
        out = self.body("cfg.m = nn.Dense(1)", "--locations")
        self.assertRegex(out["locations"]["m"], r"config\.py:8$")


if __name__ == "__main__":
    unittest.main()
