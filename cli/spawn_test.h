// Runs the real program and catches what it prints.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/temp_folder.h"

namespace cli {

struct Outcome {
  int code = -1;  // 128 + the signal when it was killed
  std::string out, err;

  std::string first_error_line() const { return err.substr(0, err.find('\n')); }
};

struct SpawnOptions {
  std::string input = "";                                     // standard input
  std::vector<std::pair<std::string, std::string>> env = {};  // added to that of the test
  std::string folder = "";                                    // where it runs
  bool terminal = false;  // output and errors go to a terminal; both are in `out`
};

Outcome spawn(const std::string& program, const std::vector<std::string>& args,
              const SpawnOptions& options = {});
// kd of this build.
Outcome kd(const std::vector<std::string>& args, const SpawnOptions& options = {});

// The same as a line of a shell, and a script of such lines, run in a folder.
std::string line_of(const std::vector<std::string>& args);
Outcome shell(const std::string& script, const std::string& folder);

// A folder of this test alone, removed with it. Names in it are texts, as arguments of programs
// are.
class TempFolder {
 public:
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  std::vector<std::string> names() const;  // sorted

 private:
  base::TempFolder folder_{"kd_cli_test."};
  std::string path_ = folder_.path().string();
};

void write_text(const std::string& file, const std::string& text);
std::string read_text(const std::string& file);
// The columns of a metrics.csv that do not measure time.
std::string values_of(const std::string& csv);

}  // namespace cli
