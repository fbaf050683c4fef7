"""Tests of the loader's messages: where, why, and what to do."""

import json
import os
import unittest

from testing import HEAD, LoaderTest, run, run_program


class Errors(LoaderTest):
    def check(self, err, line, *parts):
        first = err.splitlines()[0]
        self.assertRegex(first, r"^/.*config\.py:%d: " % line)
        for part in parts:
            self.assertIn(part, err)

    def test_kinds(self):
        own = "class Odd(KeyError):\n  pass\ndef get_config():\n  %s\n"
        for line, kind in (
            ("raise Odd('x')", "KeyError"),
            ("return 1 / 0", "ZeroDivisionError"),
            ("return open('/no/such')", "FileNotFoundError"),
            ("raise SystemExit(3)", "Exception"),
        ):
            code, out, err = run(self.write("config.py", own % line))
            self.assertEqual((code, json.loads(out)), (1, {"error": kind}), err)
        args = "import dataclasses\n@dataclasses.dataclass\nclass ConfigArgs:\n  a: int = 1\n"
        code, out, err = run(self.write("config.py", args + "def get_config(a): pass\n"),
                             "--args", "b=1")
        self.assertEqual((code, json.loads(out)), (1, {"error": "TypeError"}), err)

    def test_files(self):
        missing = os.path.join(self.folder, "no.py")
        code, out, err = run(missing)
        self.assertEqual((code, out), (1, '{"error": "Exception"}\n'))
        self.assertTrue(err.startswith(missing + ": cannot read the file: No such file"), err)
        self.check(self.fails("x = 1\ndef get_config(:\n"), 2, "SyntaxError", "def get_config(:")
        self.assertIn("config.py: the file defines no get_config()", self.fails("x = 1\n"))
        self.assertIn("add `return cfg`", self.fails("def get_config(): pass\n"))
        self.assertIn("not a config", self.fails("def get_config(): return 3\n"))
        outside = "from kauldron import kxm\ndef get_config(): return kxm.Experiment()\n"
        self.assertIn("import 'kauldron.kxm' inside `with konfig.imports():`", self.fails(outside))
        self.assertIn("add `with konfig.imports():` with `from kauldron import kxm` below it",
                      self.fails("def get_config(): return kxm.Experiment()\n"))
        self.check(self.fails("def get_config():\n  raise ValueError('broken')\n"), 2,
                   "ValueError: broken", "    raise ValueError('broken')")
        self.check(self.fails("import sys\nsys.exit(3)\n"), 2, "ended the program")
        self.assertIn("missing 1 required positional", self.fails("def get_config(n): pass\n"))
        self.assertEqual(run_program("--nope")[0], 2)

    def test_traceback(self):
        path = self.write("config.py", "def get_config():\n  return 1 / 0\n")
        self.assertNotIn("Traceback", run(path)[2])
        self.assertIn("Traceback", run(path, "--traceback")[2])

    def test_error_in_a_neighbour(self):
        self.write("other.py", "def f():\n  return undefined\n")
        err = self.fails("import other\ndef get_config():\n  return other.f()\n")
        self.assertRegex(err, r"other\.py:2: NameError")
        self.write("other.py", "def f(:\n")
        self.assertRegex(self.fails("import other\n"), r"other\.py:1: SyntaxError")

    def test_config_mistakes(self):
        self.check(self.body_fails("cfg.model = 1\ncfg.modle"), 9,
                   'Did you mean "model" instead of "modle"?', "use one of: model")
        self.check(self.body_fails("cfg.a = 1\ncfg.a = 'x'"), 9,
                   "TypeError: Could not override field 'a'", "ignore_type")
        self.check(self.body_fails("cfg.a = [1, {'b': object()}]"), 8, "`cfg.a[1].b`",
                   "konfig.imports()")
        self.check(self.body_fails("cfg.a = 1j"), 8, "1j")
        self.check(self.body_fails("cfg.lock()\ncfg.new = 1"), 9, "locked")
        self.check(self.body_fails("cfg = kd.train.Trainer(workdir=3)"), 8, "'workdir'")
        self.check(self.body_fails("cfg = kd.train.Trainer(setup=None)"), 8, "cannot merge None")
        self.check(self.body_fails("nn.Dense(1)(2)"), 8, "not callable")
        self.check(self.body_fails("cfg.a = nn.Dense(1)\ncfg.a[3] = 1"), 9, "argument index 3")
        self.check(self.body_fails("konfig.resolve(cfg)"), 8, "cannot be called")
        self.assertIn("contains itself", self.body_fails("cfg.a = {}\ncfg.a.b = cfg.a"))

    def test_reference_mistakes(self):
        self.check(self.body_fails("cfg.a = 1\nif cfg.ref.a: pass"), 9, "control flow", "ref.a")
        self.check(self.body_fails("cfg.a = {}\ncfg.ref.a.b = 1"), 9, "do not support setting")
        self.check(self.body_fails("cfg.a = [1]\nlist(cfg.ref.a)"), 9, "not iterable")
        self.check(self.body_fails("cfg.a = konfig.placeholder(str)\ncfg.a = cfg.ref.b"), 9,
                   "Reference is of type")
        self.check(self.body_fails("cfg.a = konfig.placeholder(int, required=True)\ncfg.a"), 9,
                   "required reference (config path: a)")
        self.check(self.body_fails("cfg.a = 1\ncfg.b = cfg.get_ref('a')\ncfg.a = cfg.get_ref('b')"),
                   10, "Found cycle")
        self.check(self.body_fails("cfg.a = cfg.ref.a + 1\ncfg.a"), 9, "RecursionError")
        self.check(self.body_fails("konfig.placeholder(nn.Dense)"), 8, "should be a type")

    def test_import_mistakes(self):
        def scope(line, **files):
            for name, text in files.items():
                self.write(name.replace("__", "/") + ".py", text)
            head = "from kauldron import konfig\nwith konfig.imports():\n"
            return self.fails(head + "  %s\n" % line)

        self.check(scope("from . import x"), 3, "Relative import")
        self.check(scope("from math import sqrt"), 3, "No module named 'math.sqrt'")
        self.check(scope("from a import *"), 3, "import *")
        self.write("proj/__init__.py", "")
        err = scope("from proj import modle", proj__model="")
        self.check(err, 3, "No module named 'proj.modle'", "Did you mean 'model'?")
        self.check(self.fails(HEAD + "  pass\nclass A(nn.Module):\n  pass\n"), 9,
                   "You're trying to inherit from a")

    def test_values_of_missing_modules(self):
        def body(text):
            return self.fails("import jax\nfrom kauldron import konfig\ndef get_config():\n"
                              "  cfg = konfig.ConfigDict()\n  %s\n" % text)

        self.check(body("cfg.a = jax.device_count()"), 5, "imported outside of", "'jax'")
        self.check(body("cfg.a = jax.numpy.float32"), 5, "move the import")
        self.check(body("cfg.a = int(jax.device_count()) * 2"), 5, "is not known")
        self.check(body("if jax.devices() == []: pass"), 5, "is not known")
        self.check(body("cfg.a = f'{jax.devices()}'"), 5, "standard library")
        self.check(body("for d in jax.devices(): pass"), 5, "is not known")


if __name__ == "__main__":
    unittest.main()
