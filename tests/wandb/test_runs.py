"""Runs that `kd` wrote, read by the Python package of W&B: every config value and every number is there."""

import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

from wandb.proto import wandb_internal_pb2
from wandb.sdk.internal import datastore
from wandb.sdk.lib import proto_util

BUILD = os.environ['KD_BUILD']
KD = os.path.join(BUILD, 'kd')
FULL = os.environ.get('KD_TEST_FULL') == '1'
TRAIN = [
    KD, 'train', '--cfg=mnist_autoencoder', '--cfg.train_ds.batch_size=4', '--cfg.evals.eval.num_batches=1',
    '--cfg.evals.eval.run.n=20', '--cfg.log_metrics_every=5', '--cfg.checkpointer.save_interval_steps=15',
    '--cfg.writer=py::kd.train.WandbWriter(project="digits", entity="team", name="baseline", tags=["a", "b"])',
]


def payloads(file):
  """The records of a file, up to one that is torn."""
  store = datastore.DataStore()
  store.open_for_scan(file)
  try:
    while (data := store.scan_data()) is not None:
      yield data
  except AssertionError:
    if not store.in_last_block():
      raise
  finally:
    store.close()


class Run:
  """What W&B finds in a file."""

  def __init__(self, file):
    self.rows, self.summary, self.exit, self.metrics, self.files = [], {}, None, {}, []
    for num, data in enumerate(payloads(file), 1):
      record = wandb_internal_pb2.Record()
      record.ParseFromString(data)
      assert record.num == num, (record.num, num)
      kind = record.WhichOneof('record_type')
      content = getattr(record, kind)
      if kind == 'run':
        self.run = content
        self.config = {item.key: json.loads(item.value_json) for item in content.config.update}
      elif kind == 'history':
        row = proto_util.dict_from_proto_list(content.item)
        assert row['_step'] == content.step.num == len(self.rows), row
        self.rows.append(row)
      elif kind == 'summary':
        self.summary.update(proto_util.dict_from_proto_list(content.update))
      elif kind == 'metric':
        self.metrics[content.name] = content
      elif kind == 'files':
        self.files += [item.path for item in content.files]
      elif kind == 'exit':
        self.exit = content
      else:
        assert kind == 'header', kind

  def numbers(self):
    """{(collection, step): {name: value}}; no step of a collection is there twice."""
    out = {}
    for row in self.rows:
      names = [name for name in row if '/' in name]
      collection = names[0].split('/')[0]
      values = {name.split('/', 1)[1]: row[name] for name in names if isinstance(row[name], (int, float))}
      key = (collection, row['step'])
      if values:
        assert key not in out, key
        out[key] = values
    return out


def only_file(workdir):
  files = glob.glob(os.path.join(workdir, 'wandb', '*', 'run-*.wandb'))
  files = [file for file in files if '/latest-run/' not in file]
  assert len(files) == 1, files
  return files[0]


def logged(workdir):
  """What the run wrote for itself: {(collection, step): {name: value}}."""
  out = {}
  for file in glob.glob(os.path.join(workdir, '*', 'metrics.jsonl')):
    collection = os.path.basename(os.path.dirname(file))
    with open(file) as lines:
      for line in lines:
        if line.endswith('}\n') and (scalars := json.loads(line).get('scalars')):
          out[collection, json.loads(line)['step']] = scalars
  return out


def flat(config, name=''):
  if isinstance(config, dict) and config:
    return {k: v for key, value in config.items() for k, v in flat(value, f'{name}.{key}' if name else key).items()
            if key != '__id__'}
  if isinstance(config, list) and any(isinstance(item, dict) for item in config):
    return {k: v for i, value in enumerate(config) for k, v in flat(value, f'{name}[{i}]').items()}
  return {name: config}


class Case(unittest.TestCase):
  """A case with a folder for its run."""

  def setUp(self):
    folder = tempfile.TemporaryDirectory(prefix='kd_wandb_')
    self.addCleanup(folder.cleanup)
    self.folder = folder.name
    self.workdir = os.path.join(self.folder, 'run')

  def kd(self, *arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    self.assertEqual(done.returncode, 0, done.stderr)
    return done.stderr


class Runs(Case):

  def test_records_of_every_length_around_the_ends_of_blocks(self):
    block = 32768
    lengths = []
    for n in (1, 2, 3):
      for near in range(-20, 21):
        lengths += [n * block + near, abs(near), 0]
    file = os.path.join(self.folder, 'lengths.wandb')
    self.kd(os.path.join(BUILD, 'tests', 'wandb_records'), file, *map(str, lengths))
    found = list(payloads(file))
    self.assertEqual(list(map(len, found)), lengths)
    for data in found:
      self.assertEqual(data, bytes((at * 7 + len(data)) % 256 for at in range(len(data))))

  def test_a_training(self):
    said = self.kd(*TRAIN, '--cfg.num_train_steps=60', f'--cfg.workdir={self.workdir}')
    file = only_file(self.workdir)
    self.assertIn(f'wandb sync {os.path.dirname(file)}\n', said)
    run = Run(file)
    self.assertEqual((run.run.project, run.run.entity, run.run.display_name), ('digits', 'team', 'baseline'))
    self.assertEqual(list(run.run.tags), ['a', 'b'])
    self.assertEqual(os.path.basename(file), f'run-{run.run.run_id}.wandb')
    self.assertAlmostEqual(run.run.start_time.ToSeconds(), time.time(), delta=600)
    with open(os.path.join(self.workdir, 'config.json')) as config:
      self.assertEqual(run.config, flat(json.load(config)))
    wanted = logged(self.workdir)
    self.assertEqual(len(wanted), 13 + 4)
    self.assertEqual(run.numbers(), wanted)
    self.assertEqual(run.summary['train/losses/total'], wanted['train', 60]['losses/total'])
    self.assertEqual(run.summary['step'], 60)
    self.assertEqual(run.exit.exit_code, 0)
    # Each value is drawn over the step, and each image is there.
    names = {name for row in run.rows for name in row if '/' in name}
    self.assertEqual({name for name, metric in run.metrics.items() if metric.step_metric == 'step'}, names)
    self.assertTrue(run.metrics['step'].options.hidden)
    images = [row['eval/summaries/recon'] for row in run.rows if 'eval/summaries/recon' in row]
    self.assertTrue(images)
    for image in images:
      self.assertEqual((image['_type'], image['count']), ('images/separated', len(image['filenames'])))
      self.assertLessEqual(set(image['filenames']), set(run.files))
    for path in run.files:
      with open(os.path.join(os.path.dirname(file), 'files', path), 'rb') as image:
        self.assertTrue(image.read().startswith(b'\x89PNG'))

  def test_killed_and_resumed(self):
    seed = random.randrange(10**6)
    chosen = random.Random(seed)
    print(f'seed {seed}', file=sys.stderr)
    command = [*TRAIN, '--cfg.num_train_steps=400', f'--cfg.workdir={self.workdir}']
    metrics = os.path.join(self.workdir, 'train', 'metrics.jsonl')
    run_id = None
    for _ in range(20 if FULL else 3):
      began = os.path.getsize(metrics) if os.path.exists(metrics) else 0
      wait_for = began + chosen.randrange(200, 6000)
      run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
      while run.poll() is None and (not os.path.exists(metrics) or os.path.getsize(metrics) < wait_for):
        time.sleep(0.001)
      run.kill()
      run.wait()
      command = [KD, 'resume', self.workdir]
      if run.returncode == 0:
        break
      found, wanted = Run(only_file(self.workdir)), logged(self.workdir)
      self.assertIn(run_id, (None, found.run.run_id))
      run_id = found.run.run_id
      self.assertIsNone(found.exit)
      numbers = found.numbers()
      # The usual files are written first: at most the last row is missing.
      missing = [key for key in wanted if key not in numbers]
      self.assertLessEqual(len(missing), 1, missing)
      for key, values in wanted.items():
        self.assertEqual(numbers.get(key, values), values)
    else:
      self.kd(*command)
    found = Run(only_file(self.workdir))
    self.assertEqual(found.numbers(), logged(self.workdir))
    self.assertEqual(len(found.numbers()), 81 + 21)
    self.assertIn(run_id, (None, found.run.run_id))
    self.assertEqual(found.exit.exit_code, 0)


if __name__ == '__main__':
  unittest.main()
