// Follows files that grow: the logs of running jobs, line by line, each with the name it was added
// under. Whoever uses it reads now and then.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

class LogTails {
 public:
  using OnLine = std::function<void(const std::string& name, std::string_view line)>;

  // `longest`: what is remembered of a line until its end comes; 0: all of it.
  explicit LogTails(std::size_t longest = 0) : longest_(longest) {}

  // From this place of the file, which need not be there yet.
  void add(const std::string& name, const std::string& file, std::int64_t offset = 0);
  // What is new, in whole lines. Of a line that is drawn anew with '\r' only the last form counts.
  void read(const OnLine& on_line);
  // Leaves out all but the end of what is new in one, if that is more than this many bytes; how
  // many were left out.
  std::int64_t skip(const std::string& name, std::int64_t most);
  // The rest of one, with a last line that has no end, and no more of it.
  void finish(const std::string& name, const OnLine& on_line);

 private:
  struct Tail {
    std::string file;
    std::int64_t offset = 0;
    std::string rest = {};  // the beginning of a line
  };
  void read_one(const std::string& name, Tail& tail, const OnLine& on_line) const;

  std::size_t longest_;
  std::map<std::string, Tail> tails_;
};

// Where the last `count` lines of a file begin; 0 when it has no more, or cannot be read.
std::int64_t start_of_last_lines(const std::string& file, std::size_t count);
// The last `count` lines of a file, of one drawn anew the last form; none when it cannot be read.
std::vector<std::string> last_lines(const std::string& file, std::size_t count);

}  // namespace cli
