#include "cli/tensorboard.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "base/free_port.h"
#include "cli/terminal.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace cli {
TensorBoard::TensorBoard(const std::string& folder) {
  const std::string port = std::to_string(base::free_port());
  std::vector<std::string> args = {"tensorboard", "--logdir", folder, "--port", port};
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // Of a group of its own: Ctrl-C is for the jobs.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawnp(&pid_, "tensorboard", &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) {
    remark("TensorBoard: http://localhost:" + port);
    return;
  }
  pid_ = 0;
  remark("TensorBoard cannot be started (" + std::string(std::strerror(error)) +
         "): pip install tensorboard; the experiment runs without it");
}

TensorBoard::~TensorBoard() {
  if (pid_ == 0) return;
  ::kill(-pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace cli
