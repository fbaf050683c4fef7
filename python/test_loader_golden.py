"""Tests of the loader against results of Kauldron itself."""

import json
import os
import sys
import tempfile
import unittest

from decode import decode
from testing import CONFIGS, run

GOLDEN = os.environ.get("KD_GOLDEN") or os.path.join(os.path.dirname(CONFIGS), "golden")

# Where the loader is kinder on purpose.
ACCEPTS = {
    "snippet/011": "a missing module is a stand-in",
    "snippet/032": "a missing module is a stand-in, also when it should not be lazy",
}


def cases(group):
    path = os.path.join(GOLDEN, "konfig", "cases.json")
    if not os.path.isfile(path):
        raise unittest.SkipTest("no reference cases in %s" % GOLDEN)
    with open(path, encoding="utf-8") as f:
        return [c for c in json.load(f) if c["group"] == group]


class Configs(unittest.TestCase):
    """The files of tests/configs_py, also after overrides."""

    maxDiff = None

    def test_expected(self):
        with open(os.path.join(CONFIGS, "expected.json"), encoding="utf-8") as f:
            expected = json.load(f)
        outputs = {}
        for e in expected:
            key = e["file"], e["args"]
            if key not in outputs:
                code, out, err = run(os.path.join(CONFIGS, e["file"]), "--args", e["args"])
                self.assertEqual(code, 0, err)
                outputs[key] = json.loads(out)["config"]
            with self.subTest(file=e["file"], args=e["args"], overrides=e["overrides"]):
                cfg = decode(json.loads(json.dumps(outputs[key])))
                for path, value in e["overrides"].items():
                    cfg.set(path, value)
                self.assertEqual(json.dumps(cfg.to_json()), e["json"])
                if e["repr"] is not None:
                    code, out, err = run(os.path.join(CONFIGS, e["file"]), "--args", e["args"],
                                         "--kauldron-json")
                    self.assertEqual(out.strip(), e["json"])

    def test_sweeps(self):
        code, out, err = run(os.path.join(CONFIGS, "sweep.py"), "--sweep=*")
        self.assertEqual(code, 0, err)
        sweeps = json.loads(out)["sweeps"]
        self.assertEqual({k: len(v) for k, v in sweeps.items()},
                         {"sweep": 4, "sweep_optimizer": 2, "sweep_kinds": 1})
        self.assertEqual(sweeps["sweep_kinds"][0]["shape"], {"__tuple__": [1, None]})
        code, out, err = run(os.path.join(CONFIGS, "unusual.py"), "--sweep=*")
        self.assertEqual(code, 0, err)
        sweeps = json.loads(out)["sweeps"]
        self.assertEqual(sweeps["sweep"][1], {
            "aux.dtype": {"__const__": "jax.numpy:float32"},
            "aux.layers": [{"__qualname__": "flax.linen:Dense", "features": 8}],
        })
        self.assertEqual(sweeps["sweep_lambda"], [{"seed": 1}])


class Snippets(unittest.TestCase):
    """Pieces of config files. They run in one process: proxies are shared between them."""

    maxDiff = None

    def test_snippets(self):
        todo = cases("snippet")
        modules, path = dict(sys.modules), list(sys.path)
        try:
            self._run(todo)
        finally:
            sys.modules.clear()
            sys.modules.update(modules)
            sys.path[:] = path

    def _run(self, todo):
        from kd_loader import konfig_api
        from kd_loader.config_dict import ConfigDict
        from kd_loader.defaults import register_builtin_defaults
        from kd_loader.encode import Encoder
        from kd_loader.importer import Importer

        importer = Importer(os.path.join(tempfile.gettempdir(), "snippet.py"))
        konfig = konfig_api.install(importer)
        register_builtin_defaults()
        for case in todo:
            scope, want = {"__name__": "snippet", "konfig": konfig}, case["outputs"]
            importer.install()
            try:
                exec(compile(case["args"]["source"], "snippet", "exec"), scope)
                error = None
            except Exception as e:
                error = e
            finally:
                importer.uninstall()
            with self.subTest(case["name"], source=case["args"]["source"]):
                if case["name"] in ACCEPTS:
                    self.assertIsNone(error)
                elif "error" in want:
                    self.assertEqual(type(error).__name__, want["error"])
                else:
                    self.assertIsNone(error)
                    out = scope["out"]
                    if "json" in want:
                        self.assertIsInstance(out, ConfigDict)
                        text = json.dumps(decode(Encoder(out).encode(out)).to_json())
                        self.assertEqual(text, want["json"])
                        self.assertEqual(repr(out), want["repr"])
                    else:
                        self.assertEqual(out, want["value"])


class Flags(unittest.TestCase):
    """Config files with arguments, and simple overrides of what they return."""

    # Texts that Kauldron silently ignores or takes as they are; here they are used or refused.
    DIFFERENT = (":name=x", ":size = 4", ":size=oops", "__args__.names=x,y", "__args__.size=text",
                 "__args__.pair[0]", "__args__.name.x")

    def test_flags(self):
        files = cases("flag_files")[0]["args"]["files"]
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                    f.write(text)
            outputs, count = {}, 0
            for case in cases("flags"):
                count += self._check(case, folder, outputs)
        self.assertGreater(count, 100)

    def _check(self, case, folder, outputs):
        args, want = case["args"], case["outputs"]
        argv, known = args["argv"], {"argv"}
        usable = argv and set(args) == known and argv[0].startswith("--cfg=FILE/")
        usable = usable and all(self._is_simple(a) for a in argv[1:])
        if not usable or any(d in a for d in self.DIFFERENT for a in argv):
            return False
        failed = "error" in want
        if failed and (want["stage"] == "json" or len(argv) > 1 and "nope" not in argv[1]):
            return False
        name, _, text = argv[0][len("--cfg=FILE/"):].partition(":")
        given = [a[len("--cfg.__args__."):] for a in argv[1:] if a.startswith("--cfg.__args__.")]
        key = (name, text, *given)
        if key not in outputs:
            extra = [x for g in given for x in ("--arg", g)]
            outputs[key] = run(os.path.join(folder, name), "--args", text, *extra)
        code, out, err = outputs[key]
        with self.subTest(case["name"], argv=argv):
            self.assertEqual(code != 0, failed, err)
            if not failed:
                cfg = decode(json.loads(out)["config"])
                for a in argv[1:]:
                    if not a.startswith("--cfg.__args__."):
                        path, _, value = a[len("--cfg"):].lstrip(".").partition("=")
                        cfg.set(path, _flag_value(value))
                self.assertEqual(json.dumps(cfg.to_json()), want["json"])
        return True

    @staticmethod
    def _is_simple(flag):
        is_override = flag.startswith(("--cfg.", "--cfg[")) and "=" in flag
        return is_override and "py::" not in flag and not flag.startswith("--cfg.__args__=")


def _flag_value(text):
    from kd_loader.call_args import parse_value

    return parse_value(text)


if __name__ == "__main__":
    unittest.main()
