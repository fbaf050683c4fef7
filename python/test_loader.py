"""Tests of the loader: what config files build, each on a small text."""

import unittest

from testing import LoaderTest


class Building(LoaderTest):
    def test_nodes(self):
        cfg = self.config("""
cfg.model = nn.Dense(16, kernel_init=nn.initializers.zeros)
cfg.opt = optax.adam(learning_rate=3e-3)
cfg.kinds = {'t': (1, [2]), 'n': None, 'b': True, 'f': 1.5, 's': 'x'}
cfg.call = kd.nn.VitEncoder.from_variant_str("S/16")
cfg["a.b"] = 1
""")
        self.assertEqual(cfg["model"], {
            "__qualname__": "flax.linen:Dense", "0": 16,
            "kernel_init": {"__const__": "flax.linen:initializers.zeros"}})
        self.assertEqual(cfg["opt"], {"__qualname__": "optax:adam", "learning_rate": 0.003})
        self.assertEqual(cfg["kinds"], {"t": {"__tuple__": [1, [2]]}, "n": None, "b": True,
                                        "f": 1.5, "s": "x"})
        self.assertEqual(cfg["call"]["__qualname__"], "kauldron.kd:nn.VitEncoder.from_variant_str")
        self.assertEqual(cfg["a.b"], 1)

    def test_other_type_than_the_default(self):
        cfg = self.load("""from kauldron import konfig
with konfig.imports():
  from kauldron import kxm
  import mine
def get_config():
  return kxm.Job(executor=mine.Slurm(qos="low"))
""")["config"]
        self.assertEqual(cfg["executor"], {"__qualname__": "mine:Slurm", "qos": "low"})

    def test_sweep_of_a_function(self):
        source = """from kauldron import konfig
with konfig.imports():
  from kauldron import kxm
def sweep_fn():
  for size in [32, 64]:
    yield {"size": size}
def get_config():
  return konfig.ConfigDict({"a": kxm.SimpleSweep(sweep_fn), "b": kxm.SimpleSweep(items=[{"x": 1}])})
"""
        cfg = self.load(source)["config"]
        self.assertEqual(cfg["a"]["0"], [{"size": 32}, {"size": 64}])
        self.assertEqual(cfg["b"]["items"], [{"x": 1}])

    def test_values_that_json_lacks(self):
        cfg = self.config("""
import pathlib
cfg.items_ = [{3, 1, 2}, frozenset(["b", "a"]), b"\\x00\\xff", ..., slice(1, None, 2)]
cfg.path = pathlib.PurePosixPath("/a/b")
cfg.numbers = [float("nan"), float("inf"), 2**80]
cfg.keys_ = {1: "i", 2.5: "f", True: "shadowed by 1", "s": 0}
cfg.union = nn.Dense | None
cfg.odd = {"__ref__": 1, "x": 2}
""")
        self.assertEqual(cfg["items_"], [
            {"__set__": [1, 2, 3]}, {"__frozenset__": ["a", "b"]}, {"__bytes__": "\x00\xff"},
            {"__ellipsis__": True}, {"__slice__": [1, None, 2]}])
        self.assertEqual(cfg["path"], {"__path__": "/a/b"})
        self.assertNotEqual(cfg["numbers"][0], cfg["numbers"][0])
        self.assertEqual(cfg["numbers"][1:], [float("inf"), 2**80])
        self.assertEqual(list(cfg["keys_"]), ["__raw__=1", "__raw__=2.5", "s"])
        self.assertEqual(cfg["union"], {"__union__": [{"__const__": "flax.linen:Dense"}, None]})
        self.assertEqual(cfg["odd"], {"__dict__": [["__ref__", 1], ["x", 2]]})

    def test_partial_const_and_convertible(self):
        cfg = self.config("""
import functools, dataclasses
cfg.p = functools.partial(nn.relu, 1, k=nn.tanh)
cfg.c = konfig.const(nn.relu)
cfg.n = konfig.const("jax.numpy:float32")
cfg.h = type("H", (), {"__as_konfig__": lambda self: {"x": [1]}})()
""")
        self.assertEqual(cfg["p"], {
            "__qualname__": "functools:partial", "0": {"__const__": "flax.linen:relu"}, "1": 1,
            "k": {"__const__": "flax.linen:tanh"}})
        self.assertEqual(cfg["c"], {"__const__": "flax.linen:relu"})
        self.assertEqual(cfg["n"], {"__const__": "jax.numpy:float32"})
        self.assertEqual(cfg["h"], {"x": [1]})

    def test_access_and_types(self):
        cfg = self.config("""
cfg.f, cfg.l, cfg.t = 1.5, [1], (1,)
cfg.f, cfg.l, cfg.t = 2, (3, 4), [5]
cfg.n = None
cfg.n = "now text"
cfg.d = nn.Dense(1, 2)
cfg.d[2] = 3
cfg.d[-1] = 4
cfg.m = cfg.get("missing", 7), "f" in cfg, len(cfg.d), list(cfg.d.keys())[:2]
del cfg.d[0]
with cfg.ignore_type():
  cfg.l = "any"
cfg.update({"d": {"x": 1}}, y=2)
cfg.z = cfg.d | {"x": 5}
cfg.lock()
with cfg.unlocked():
  cfg.new = 1
""")
        self.assertEqual((cfg["f"], cfg["l"], cfg["t"]), (2.0, "any", {"__tuple__": [5]}))
        self.assertIsInstance(cfg["f"], float)
        self.assertEqual(cfg["n"], "now text")
        self.assertEqual(cfg["d"], {"__qualname__": "flax.linen:Dense", "1": 2, "2": 4, "x": 1})
        self.assertEqual(cfg["m"], {"__tuple__": [7, True, 4, ["__qualname__", "0"]]})
        self.assertEqual((cfg["z"]["x"], cfg["y"], cfg["new"]), (5, 2, 1))

    def test_lists_are_settled(self):
        cfg = self.config("""
cfg.l = [1]
cfg.l.append({"a": nn.relu})
cfg.l.append([nn.Dense])
""")
        self.assertEqual(cfg["l"], [1, {"a": {"__const__": "flax.linen:relu"}},
                                    [{"__const__": "flax.linen:Dense"}]])

    def test_sharing(self):
        cfg = self.config("""
node = nn.Dense(1)
cfg.a, cfg.b, cfg.c = node, [node], {"x": 1}
cfg.d = cfg.c
plain = {"x": 2}
cfg.e, cfg.f = plain, plain
""")
        self.assertEqual(cfg["a"], cfg["b"][0])
        self.assertEqual(cfg["a"]["__id__"], 0)
        self.assertEqual((cfg["c"]["__id__"], cfg["d"]["__id__"]), (1, 1))
        self.assertNotIn("__id__", cfg["e"])

    def test_trainer_defaults(self):
        cfg = self.config("""
cfg = kd.train.Trainer(setup=kd.train.Setup(eval_only=True))
cfg.evals["x"] = kd.evals.Evaluator(run=kd.evals.StandaloneLastCheckpoint())
cfg.aux.y = 1
cfg.schedules["lr"] = optax.constant_schedule(0.1)
cfg.xm_job.platform = "cpu"
cfg.setup.note_template = "note"
cfg.workdir = konfig.placeholder(str)
""")
        self.assertEqual(list(cfg), ["__qualname__", "workdir", "evals", "schedules", "setup",
                                     "xm_job", "aux"])
        self.assertEqual(cfg["workdir"], {
            "__placeholder__": {"type": "str", "required": False, "default": None}})
        self.assertEqual(cfg["setup"]["note_template"], "note")
        self.assertTrue(cfg["setup"]["eval_only"])
        self.assertIn("executor", cfg["evals"]["x"]["run"])
        fresh = self.config("cfg = kd.train.Trainer()\nhasattr(cfg, 'aux')")
        self.assertNotIn("aux", fresh)

    def test_registered_defaults_and_aliases(self):
        out = self.body("""
konfig.register_default_values(nn.Dense(features=1, use_bias=False))
konfig.register_aliases({"jax.numpy": "jnp"})
cfg.d = nn.Dense(features=5)
""")
        self.assertEqual(out["config"]["d"], {"__qualname__": "flax.linen:Dense", "features": 5,
                                              "use_bias": False})
        self.assertEqual(out["default_values"][0]["features"], 1)
        self.assertEqual(out["aliases"], {"jax.numpy": "jnp"})


class References(LoaderTest):
    def test_expressions(self):
        cfg = self.config("""
cfg.aux = {"dim": 2, "l": ["x"], "name": "n"}
cfg.a = cfg.ref.aux.dim
cfg.b = cfg.ref.aux["dim"] * 2 + 1
cfg.c = 10 - cfg.ref.aux.dim
cfg.d = -cfg.ref.aux.dim
cfg.e = cfg.ref.aux.dim.to_float()
cfg.f = cfg.ref.aux.l[0].upper()
cfg.g = cfg.ref.aux.dim >= cfg.ref.aux.other
cfg.h = cfg.ref.aux.name + ["tail"]
cfg.i = [cfg.ref.aux.dim, (cfg.ref,)]
cfg.j = cfg.aux.ref.dim
""")
        refs = {k: v["__ref__"] for k, v in cfg.items() if isinstance(v, dict) and "__ref__" in v}
        dim = ["path", "aux", "dim"]
        self.assertEqual(refs, {
            "a": dim,
            "b": ["op", "+", ["op", "*", dim, 2], 1],
            "c": ["op", "-", 10, dim],
            "d": ["unary", "-", dim],
            "e": ["unary?", "float", dim],
            "f": ["method", ["path", "aux", "l", 0], "upper"],
            "g": ["op", ">=", dim, ["path", "aux", "other"]],
            "h": ["op", "+", ["path", "aux", "name"], ["const", ["tail"]]],
            "j": ["node", 0, "dim"],
        })
        self.assertEqual(cfg["aux"]["__id__"], 0)
        self.assertEqual(cfg["i"], [{"__ref__": dim}, {"__tuple__": [{"__ref__": ["path"]}]}])

    def test_overrides_move_dependents(self):
        lines = """
cfg.aux = {"dim": 2}
cfg.a = cfg.ref.aux.dim * 2
cfg.b = cfg.ref.a + 1
cfg.model = nn.Dense(cfg.ref.b)
"""
        self.assertEqual(self.values(lines)["model"]["0"], 5)
        self.assertEqual(self.values(lines, aux__dim=10)["model"]["0"], 21)
        self.assertEqual(self.values(lines, a=1)["model"]["0"], 2)

    def test_placeholders_and_cells(self):
        cfg = self.config("""
cfg.p = konfig.placeholder(int)
cfg.r = konfig.placeholder(str, required=True)
cfg.q = konfig.required(float)
cfg.d = konfig.placeholder(float, default=1)
cfg.set = konfig.placeholder(int)
cfg.set = 5
cell = konfig.placeholder(int)
cfg.x, cfg.y = cell, cell
cfg.v = 1
cfg.w = cfg.get_oneway_ref("v")
cfg.u = cfg.ref.v
cfg.u = 3
""")
        def cell(kind, default=None, required=False, **more):
            return {"__placeholder__": {"type": kind, "required": required, "default": default,
                                        **more}}

        self.assertEqual(cfg["p"], cell("int"))
        self.assertEqual(cfg["r"], cell("str", required=True))
        self.assertEqual(cfg["q"], cell("float"))
        self.assertEqual(cfg["d"], cell("float", 1.0))
        self.assertEqual(cfg["set"], cell("int", 5))
        self.assertEqual((cfg["x"], cfg["y"]), (cell("int", cell=0),) * 2)
        self.assertEqual(cfg["v"], cell("int", 1, cell=1))
        self.assertEqual(cfg["w"], {"__ref__": ["cell", 1]})
        self.assertEqual(cfg["u"], cell("object", 3))

    def test_ref_fn(self):
        lines = """
cfg.parts = ["a", "b"]
cfg.joined = konfig.ref_fn("/".join, cfg.ref.parts)
cfg.node = konfig.ref_fn(lambda n: {"n": n})(n=cfg.ref.parts[0])
cfg.later = konfig.ref_fn(lambda w: w + "/x", cfg.ref.work)
cfg.work = konfig.placeholder(str)
"""
        out = self.body(lines)
        self.assertEqual(out["config"]["joined"], {"__ref__": ["value", "a/b"]})
        self.assertEqual(out["config"]["node"], {"n": "a"})
        self.assertEqual(out["config"]["later"]["__ref__"][0], "error")
        self.assertEqual([w["path"] for w in out["warnings"]], ["joined", "node", "later"])
        self.assertEqual(out["warnings"][0]["reads"], ["parts"])
        out = self.body(lines, "--set", 'parts=["x"]', "--set", "work=/w")
        self.assertEqual(out["config"]["later"], {"__ref__": ["value", "/w/x"]})

    def test_ref_copy_and_copies(self):
        lines = """
import copy
cfg.train = {"name": "m", "sub": {"n": 1}}
cfg.eval = konfig.ref_copy(cfg.train)
cfg.eval.name = "e"
cfg.base = {"a": 1}
cfg.base.b = cfg.base.ref.a
cfg.twin = copy.deepcopy(cfg.base)
cfg.half = copy.copy(cfg.base)
"""
        got = self.values(lines, train__sub__n=5, train__name="x", base__a=7, twin__a=9)
        self.assertEqual(got["eval"], {"name": "e", "sub": {"n": 5}})
        self.assertEqual((got["base"]["b"], got["twin"]["b"]), (7, 9))

    def test_outside_config_becomes_its_value(self):
        out = self.body("""
other = konfig.ConfigDict({"a": {"b": 3}})
cfg.x = other.ref.a.b + 1
""")
        self.assertEqual(out["config"], {"x": {"__ref__": ["value", 4]}})
        self.assertIn("replaced by its value", out["warnings"][0]["message"])


if __name__ == "__main__":
    unittest.main()
