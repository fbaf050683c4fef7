// Slurm's programs: started without a shell, with an environment that does not tell them of a job
// that the launcher itself may be running in.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kxm::slurm {

struct Outcome {
  int code = -1;  // -1: ended by a signal, or not in time
  std::string out, err;
  bool interrupted = false;  // see interrupt_by
  bool ok() const { return code == 0; }
};

// From now on nobody waits for a program while this descriptor can be read; -1: none.
void interrupt_by(int descriptor);

// Runs a program and collects what it prints. It is not in the terminal's process group: Ctrl-C is
// for the launcher. A program that cannot be started is an Error.
Outcome ask(const std::vector<std::string>& argv,
            std::chrono::milliseconds longest = std::chrono::seconds(60));

// Runs a program that may outlive the launcher: it reads what `script` returns, which is called
// while the program starts, writes what it prints to the file `answer`, and holds the open file
// `kept`, with its lock, until it ends. If the launcher dies before the script is there, the
// program reads nothing. Returns its exit code, or nothing if that is unknown, mostly because the
// wait was interrupted; the program then goes on.
//
// sbatch tries for two minutes to get past a limit, in which nobody could be told. Once it says so
// it is killed in its sleep: the limit is its answer, and the launcher tries again.
std::optional<int> run_to_file(const std::vector<std::string>& argv,
                               const std::function<std::string()>& script,
                               const std::filesystem::path& answer, int kept);

// Why Slurm said no.
enum class Problem {
  away,     // the controller does not answer; nothing was sent
  unclear,  // no answer came: it may have done what it was asked
  limit,    // a limit on the number of submitted jobs
  refused,  // it will never do this
};
Problem problem_of(std::string_view err);
Problem problem_of(const Outcome& outcome);  // of one that is not ok()

// The last line of what Slurm's programs print, without their names: "Invalid feature
// specification".
std::string reason_in(std::string_view err);
// The name of the limit in a complaint about one: "QOSMaxSubmitJobPerUserLimit".
std::string limit_in(std::string_view err);

// Whether a job id is one that Slurm does not know (any more).
bool says_unknown_job(std::string_view err);

bool in_path(const std::string& program);

// The file that SLURM_CONF names, if it does not exist: each of Slurm's programs would wait for it
// for a minute.
std::string missing_configuration();

// Whether Slurm's programs are here and have a configuration.
bool is_configured();

}  // namespace kxm::slurm
