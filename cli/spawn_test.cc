#include "cli/spawn_test.h"
#include "base/file.h"
#include "test_paths.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace cli {
namespace {

namespace fs = std::filesystem;

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read = fds[0];
    write = fds[1];
  }
};

void give(int& fd, std::string& text) {
  const auto n = ::write(fd, text.data(), text.size());
  if (n > 0) text.erase(0, static_cast<std::size_t>(n));
  if ((n < 0 && errno != EAGAIN && errno != EINTR) || text.empty()) {
    ::close(fd);
    fd = -1;
  }
}

void take(int& fd, std::string& text) {
  std::array<char, 65536> buffer;
  const auto n = ::read(fd, buffer.data(), buffer.size());
  if (n > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  } else if (n == 0 || errno != EINTR) {  // a terminal ends with an error
    ::close(fd);
    fd = -1;
  }
}

void exchange(int in, int out, int err, std::string input, Outcome& run) {
  if (in >= 0) ::fcntl(in, F_SETFL, O_NONBLOCK);
  if (in >= 0 && input.empty()) {
    ::close(in);
    in = -1;
  }
  while (out >= 0 || err >= 0 || in >= 0) {
    std::array<pollfd, 3> fds = {{{in, POLLOUT, 0}, {out, POLLIN, 0}, {err, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (in >= 0 && fds[0].revents) give(in, input);
    if (out >= 0 && fds[1].revents) take(out, run.out);
    if (err >= 0 && fds[2].revents) take(err, run.err);
  }
}

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& args,
                         const SpawnOptions& options) {
  for (auto& [name, value] : options.env) ::setenv(name.c_str(), value.c_str(), 1);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (auto& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Outcome spawn_on_terminal(const std::string& program, const std::vector<std::string>& args,
                          const SpawnOptions& options) {
  Outcome run;
  int terminal = -1;
  const winsize size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("forkpty failed");
  if (child == 0) become(program, args, options);
  exchange(-1, terminal, -1, "", run);
  run.code = wait_for(child);
  return run;
}

}  // namespace

Outcome spawn(const std::string& program, const std::vector<std::string>& args,
              const SpawnOptions& options) {
  if (options.terminal) return spawn_on_terminal(program, args, options);
  ::signal(SIGPIPE, SIG_IGN);
  Outcome run;
  Pipe in, out, err;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(in.read, 0);
    ::dup2(out.write, 1);
    ::dup2(err.write, 2);
    become(program, args, options);
  }
  for (int fd : {in.read, out.write, err.write}) ::close(fd);
  exchange(in.write, out.read, err.read, options.input, run);
  run.code = wait_for(child);
  return run;
}

Outcome kd(const std::vector<std::string>& args, const SpawnOptions& options) {
  SpawnOptions patient = options;  // of a machine that is busy with other tests
  patient.env.insert(patient.env.begin(), {"KD_PY_TIMEOUT", "600"});
  return spawn(KD_BINARY_DIR "/kd", args, patient);
}

std::string line_of(const std::vector<std::string>& args) {
  std::string out = KD_BINARY_DIR "/kd";
  for (auto& arg : args) out += " '" + arg + "'";
  return out;
}

Outcome shell(const std::string& script, const std::string& folder) {
  return spawn("/bin/sh", {"-c", script}, {.folder = folder});
}

std::vector<std::string> TempFolder::names() const {
  std::vector<std::string> out;
  for (auto& entry : fs::directory_iterator(path_)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string values_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string out;
  std::vector<bool> kept;
  for (std::string line; std::getline(lines, line); out += "\n") {
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
    if (kept.empty()) {
      for (auto& name : row) kept.push_back(!name.starts_with("perf_stats"));
    }
    for (std::size_t i = 0; i < row.size() && i < kept.size(); ++i) {
      if (kept[i]) out += row[i] + ",";
    }
  }
  return out;
}

std::string read_text(const std::string& file) { return base::try_read_file(file).value_or(""); }

TEST(Spawn, CatchesOutputCodesAndSignals) {
  const Outcome run = spawn("/bin/sh", {"-c", "cat; echo wrong >&2; exit 3"}, {.input = "text"});
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.out, "text");
  EXPECT_EQ(run.err, "wrong\n");
  EXPECT_EQ(spawn("/bin/sh", {"-c", "kill -9 $$"}).code, 128 + 9);
}

}  // namespace cli
