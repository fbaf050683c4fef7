"""Runs that `kd` wrote, uploaded by `wandb sync` to a server on this machine: what arrives is what was logged."""

import gzip
import http.server
import json
import os
import subprocess
import sys
import threading
import unittest

import test_runs


class Server(http.server.ThreadingHTTPServer):
  """As much of W&B's server as an upload talks to."""

  def __init__(self):
    super().__init__(('127.0.0.1', 0), Handler)
    self.url = f'http://127.0.0.1:{self.server_address[1]}'
    self.run, self.history, self.files = {}, {}, {}

  def query(self, query, variables):
    if 'upsertBucket' in query:
      self.run.update({key: value for key, value in variables.items() if value is not None})
      project = {'id': '1', 'name': self.run['project'], 'entity': {'id': '1', 'name': self.run['entity']}}
      bucket = {'id': '1', 'name': self.run['name'], 'displayName': self.run.get('displayName', ''),
                'config': '{}', 'project': project, 'historyLineCount': 0}
      return {'upsertBucket': {'bucket': bucket, 'inserted': True}}
    if 'createRunFiles' in query:
      files = [{'name': name, 'uploadUrl': f'{self.url}/upload/{name}'} for name in variables['files']]
      return {'createRunFiles': {'runID': '1', 'uploadHeaders': [], 'files': files}}
    return {'serverInfo': {'features': []}}

  def stream(self, files):
    lines = files.get('wandb-history.jsonl')
    for i, line in enumerate(lines['content'] if lines else []):
      self.history[lines['offset'] + i] = json.loads(line)


class Handler(http.server.BaseHTTPRequestHandler):

  def log_message(self, *_):
    pass

  def answer(self):
    body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
    if self.headers.get('Content-Encoding') == 'gzip':
      body = gzip.decompress(body)
    answer = {}
    if self.path.endswith('/graphql'):
      content = json.loads(body)
      answer = {'data': self.server.query(content['query'], content.get('variables') or {})}
    elif self.path.endswith('/file_stream'):
      self.server.stream(json.loads(body).get('files') or {})
    elif self.path.startswith('/upload/'):
      self.server.files[self.path.removeprefix('/upload/')] = body
    text = json.dumps(answer).encode()
    self.send_response(200)
    self.send_header('Content-Type', 'application/json')
    self.send_header('Content-Length', str(len(text)))
    self.end_headers()
    self.wfile.write(text)

  do_GET = do_POST = do_PUT = answer


class Upload(test_runs.Case):

  def setUp(self):
    super().setUp()
    self.server = Server()
    threading.Thread(target=self.server.serve_forever, daemon=True).start()
    self.addCleanup(self.server.server_close)
    self.addCleanup(self.server.shutdown)

  def sync(self):
    environment = {
        'HOME': self.folder, 'PATH': os.environ['PATH'], 'PYTHONPATH': os.environ['PYTHONPATH'],
        'WANDB_BASE_URL': self.server.url, 'WANDB_API_KEY': 'x' * 40, 'WANDB_ERROR_REPORTING': 'false',
    }
    folder = os.path.dirname(test_runs.only_file(self.workdir))
    # It writes its own log below the working directory.
    done = subprocess.run([sys.executable, '-m', 'wandb', 'sync', folder], cwd=self.folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=120)
    self.assertEqual(done.returncode, 0, done.stdout)
    self.assertIn('Finished syncing', done.stdout)
    return [self.server.history[i] for i in range(len(self.server.history))]

  def test_a_run_and_what_a_resumed_run_adds(self):
    train = [*test_runs.TRAIN, f'--cfg.workdir={self.workdir}']
    self.kd(*train, '--cfg.num_train_steps=60', '--cfg.stop_after_steps=40')
    self.assertEqual(self.sync(), test_runs.Run(test_runs.only_file(self.workdir)).rows)
    self.kd(*train, '--cfg.num_train_steps=60')
    run = test_runs.Run(test_runs.only_file(self.workdir))
    self.assertEqual(self.sync(), run.rows)
    self.assertEqual(run.numbers(), test_runs.logged(self.workdir))
    sent = self.server.run
    self.assertEqual((sent['name'], sent['project'], sent['entity'], sent['displayName']),
                     (run.run.run_id, 'digits', 'team', 'baseline'))
    config = {name: value.get('value') for name, value in json.loads(sent['config']).items() if name != '_wandb'}
    # It leaves out empty dictionaries.
    self.assertEqual(config, {name: value for name, value in run.config.items() if value != {}})
    summary = json.loads(self.server.files['wandb-summary.json'])
    for name in ('step', 'train/losses/total', 'eval/losses/total', 'eval/summaries/recon'):
      self.assertEqual(summary[name], run.summary[name])
    for path in run.files:
      with open(os.path.join(os.path.dirname(test_runs.only_file(self.workdir)), 'files', path), 'rb') as image:
        self.assertEqual(self.server.files[path], image.read())


if __name__ == '__main__':
  unittest.main()
