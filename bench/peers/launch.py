"""Seconds that submitit's local executor and Hydra's joblib launcher take for N jobs of `true`.

  launch.py submitit|hydra N PARALLEL
  launch.py submitit_slurm N PARALLEL    # milliseconds to submit them to Slurm, without their runs

Prints one number. Needs submitit; `hydra` also hydra-core and hydra-joblib-launcher.
"""

import pathlib
import subprocess
import sys
import tempfile
import time


def run_submitit(count: int, parallel: int) -> float:
  import submitit  # pylint: disable=import-outside-toplevel

  with tempfile.TemporaryDirectory() as folder:
    executor = submitit.LocalExecutor(folder=folder)
    start = time.perf_counter()
    # It starts all it is given at once, so that it is given as many as may run.
    waiting = []
    for _ in range(count):
      if len(waiting) == parallel:
        waiting.pop(0).result()
      waiting.append(executor.submit(subprocess.check_call, ['true']))
    for job in waiting:
      job.result()
    return time.perf_counter() - start


def submit_to_slurm(count: int, parallel: int) -> float:
  import submitit  # pylint: disable=import-outside-toplevel

  with tempfile.TemporaryDirectory() as folder:
    executor = submitit.SlurmExecutor(folder=folder)
    executor.update_parameters(time=60, array_parallelism=max(parallel, count))
    start = time.perf_counter()
    executor.map_array(subprocess.check_call, [['true']] * count)
    return 1000 * (time.perf_counter() - start)


HYDRA_APP = """
import subprocess
import hydra

@hydra.main(version_base=None, config_name=None)
def main(cfg):
  subprocess.check_call(['true'])

main()
"""


def run_hydra(count: int, parallel: int) -> float:
  with tempfile.TemporaryDirectory() as folder:
    app = pathlib.Path(folder) / 'app.py'
    app.write_text(HYDRA_APP)
    values = ','.join(str(i) for i in range(count))
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, str(app), '--multirun', 'hydra/launcher=joblib',
         f'hydra.launcher.n_jobs={parallel}', f'+x={values}'],
        cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == '__main__':
  peer, number, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
  peers = {'submitit': run_submitit, 'hydra': run_hydra, 'submitit_slurm': submit_to_slurm}
  print(f'{peers[peer](number, at_once):.3f}')
