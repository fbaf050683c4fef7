"""Helpers of the tests: run the loader on a source text."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import kd_config_loader
from decode import decode

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGS = os.path.join(os.path.dirname(HERE), "tests", "configs_py")
HEAD = """from kauldron import konfig
with konfig.imports():
  from kauldron import kd
  from flax import linen as nn
  import optax
def get_config():
  cfg = konfig.ConfigDict()
"""


def run_program(*args):
    """(exit code, standard output, standard error) of the real program."""
    command = [sys.executable, "-I", "-S", os.path.join(HERE, "kd_config_loader.py"), *args]
    p = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return p.returncode, p.stdout, p.stderr


def run(*args):
    """The same in a forked child, which needs no start of Python: a tenth of the time."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            code = 70
            try:
                os.dup2(out.fileno(), 1)
                os.dup2(err.fileno(), 2)
                sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
                code = kd_config_loader.main(list(args))
            except SystemExit as e:
                code = e.code
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read().decode("utf-8"))
    return (status, *texts)


class LoaderTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def load(self, source, *args, name="config.py"):
        """The output for a file with this text."""
        code, out, err = run(self.write(name, source), *args)
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def body(self, lines, *args):
        """The output for a get_config() with this body; `cfg` is an empty config."""
        text = "".join("  %s\n" % line for line in lines.strip().splitlines())
        return self.load(HEAD + text + "  return cfg\n", *args)

    def config(self, lines, *args):
        return self.body(lines, *args)["config"]

    def values(self, lines, **overrides):
        """The fields of the config with references followed, after overrides."""
        decoder = decode(self.config(lines))
        for path, value in overrides.items():
            decoder.set(path.replace("__", "."), value)
        return decoder.to_json()

    def fails(self, source, *args, name="config.py"):
        """The error text for a file with this text."""
        code, out, err = run(self.write(name, source), *args)
        self.assertEqual((code, list(json.loads(out))), (1, ["error"]), err)
        self.assertLess(len(err.splitlines()), 10, err)
        return err

    def body_fails(self, lines, *args):
        text = "".join("  %s\n" % line for line in lines.strip().splitlines())
        return self.fails(HEAD + text + "  return cfg\n", *args)
