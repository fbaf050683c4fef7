// The shell sessions in the docs show what the program really prints. In a block marked `console`,
// a line "$ kd ..." is a command, what follows is its output; a line "..." stands for any lines.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

struct Step {
  int line;
  std::string command;
  std::vector<std::string> output;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<Step> steps_of(const std::string& text) {
  std::vector<Step> out;
  bool inside = false;
  int number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      out.push_back({number, line.substr(2), {}});
    } else if (inside && !out.empty() && out.back().command.ends_with('\\')) {
      out.back().command.pop_back();
      out.back().command += line;
    } else if (inside && !out.empty()) {
      out.back().output.push_back(line);
    }
  }
  return out;
}

using Lines = std::vector<std::string>;

bool matches(Lines::const_iterator want, Lines::const_iterator want_end, Lines::const_iterator got,
             Lines::const_iterator got_end) {
  if (want == want_end) return got == got_end;
  if (*want != "...") {
    return got != got_end && *want == *got && matches(want + 1, want_end, got + 1, got_end);
  }
  for (;; ++got) {
    if (matches(want + 1, want_end, got, got_end)) return true;
    if (got == got_end) return false;
  }
}

// The commands of one page run one after the other in a folder of their own.
void check_page(const std::string& name) {
  const std::string page = read_text(KD_SOURCE_DIR "/" + name);
  if (page.empty()) GTEST_SKIP() << "there is no " << name;
  TempFolder folder;
  const char* path = std::getenv("PATH");
  const SpawnOptions options = {
      .env = {{"PATH", std::string(KD_BINARY_DIR ":") + (path ? path : "")},
              {"XDG_CACHE_HOME", KD_BINARY_DIR "/cli_test_cache"}},
      .folder = folder.path()};
  for (const Step& step : steps_of(page)) {
    if (!step.command.starts_with("kd ") && !step.command.starts_with("build/kd ")) continue;
    std::string command = step.command;
    if (command.starts_with("build/")) command = command.substr(6);
    const Outcome run = spawn("/bin/sh", {"-c", "exec 2>&1; " + command}, options);
    const Lines got = lines_of(run.out);
    EXPECT_TRUE(matches(step.output.begin(), step.output.end(), got.begin(), got.end()))
        << name << ":" << step.line << ": $ " << step.command << "\nprints\n"
        << run.out;
  }
}

TEST(Transcript, CliPage) { check_page("docs/cli.md"); }
TEST(Transcript, Readme) { check_page("README.md"); }

}  // namespace
}  // namespace cli
