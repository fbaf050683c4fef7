// A launcher for tests: slurm_driver STATE XID [again] [max_parallel=N] [signal=SECONDS] runs an
// experiment on Slurm and prints how its units are. `__job` runs one task, as Slurm starts it;
// `submit FOLDER N` submits N jobs, held, and prints how many milliseconds that took; `bare SCRIPT
// N` does so with a bare sbatch --array; `launch COMMAND...` runs a command and prints how long it
// took until Slurm had the jobs of an experiment, then kills it.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "kxm/launch.h"
#include "kxm/slurm.h"
#include "kxm/slurm/outputs.h"

namespace {

namespace fs = std::filesystem;

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

int submit(const std::string& folder, int count) {
  std::vector<kxm::Attempt> attempts(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    kxm::Attempt& attempt = attempts[static_cast<std::size_t>(i)];
    const std::string wid = std::to_string(i + 1);
    attempt.xid = 1;
    attempt.wid = i + 1;
    attempt.job = "train";
    attempt.token = wid;
    attempt.what = {.name = "train",
                    .argv = {"/usr/bin/kd", "train", "--cfg=/kept/config.py", "--cfg.seed=" + wid,
                             "--cfg.workdir=" + folder + "/" + wid}};
    attempt.unit_dir = folder + "/" + wid;
    attempt.folder = folder + "/.kxm/jobs/" + wid + "/train/1";
    attempt.cwd = folder;
  }
  const kxm::Slurm slurm = {.options = {"--hold"}};
  const auto start = std::chrono::steady_clock::now();
  const auto taken = slurm.submit(attempts);
  std::cout << since(start) << "\n";
  return std::count(taken.begin(), taken.end(), false) == 0 ? 0 : 1;
}

// What `submit` is compared with: the same program, started without a shell, too, with a script of
// one line.
int submit_bare(std::string script, int count) {
  std::vector<std::string> args = {"sbatch",
                                   "--quiet",
                                   "--hold",
                                   "--output=/dev/null",
                                   "--array=0-" + std::to_string(count - 1),
                                   std::move(script)};
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  int status = 0;
  if (::posix_spawnp(&pid, "sbatch", nullptr, nullptr, argv.data(), environ) != 0) return 1;
  if (::waitpid(pid, &status, 0) != pid) return 1;
  std::cout << since(start) << "\n";
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Whether Slurm has answered with the number of an array.
bool is_submitted(const fs::path& state) {
  std::error_code none;
  for (const auto& experiment : fs::directory_iterator(state / "experiments", none)) {
    for (const auto& file : fs::directory_iterator(experiment.path() / "slurm", none)) {
      if (file.path().extension() != ".answer") continue;
      if (kxm::slurm::parse_submitted(base::try_read_file(file.path()).value_or(""))) return true;
    }
  }
  return false;
}

int launch(std::vector<std::string> args) {
  const fs::path state = kxm::state_folder();
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  if (::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return 1;
  while (!is_submitted(state)) {
    if (::waitpid(pid, nullptr, WNOHANG) == pid) return 1;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  std::cout << since(start) << "\n";
  ::kill(pid, SIGKILL);
  return ::waitpid(pid, nullptr, 0) == pid ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    if (!args.empty() && args[0] == "__job")
      return kxm::run_slurm_task({args.begin() + 1, args.end()});
    if (!args.empty() && args[0] == "submit") return submit(args.at(1), std::stoi(args.at(2)));
    if (!args.empty() && args[0] == "bare") return submit_bare(args.at(1), std::stoi(args.at(2)));
    if (!args.empty() && args[0] == "launch") return launch({args.begin() + 1, args.end()});
    kxm::State state(args.at(0));
    const int xid = std::stoi(args.at(1));
    kxm::Slurm slurm = {.poll_seconds = 1, .record_seconds = 2};
    kxm::RunOptions options;
    for (std::size_t i = 2; i < args.size(); ++i) {
      const auto value = args[i].substr(args[i].find('=') + 1);
      if (args[i] == "again") options.again = true;
      if (args[i].starts_with("max_parallel=")) slurm.max_parallel = std::stoi(value);
      if (args[i].starts_with("signal=")) slurm.signal_seconds = std::stod(value);
      if (args[i].starts_with("partition=")) slurm.partition = value;
      if (args[i].starts_with("qos=")) slurm.qos = value;
      if (args[i] == "stop") {
        kxm::stop(state, xid, slurm, kxm::Stop::gently);
        return 0;
      }
    }
    options.on_event = [](const kxm::Event& event) {
      if (event.kind == kxm::Event::Kind::note) std::cerr << event.text << "\n";
    };
    const auto result = kxm::run(state, xid, slurm, options);
    for (int i = 0; i < kxm::kJobStates; ++i) {
      const auto which = static_cast<kxm::JobState>(i);
      std::cout << kxm::to_string(which) << " " << result.units[which] << "\n";
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
