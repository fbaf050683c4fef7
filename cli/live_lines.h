// Lines at the bottom of a terminal that are drawn anew as things change: a table of jobs.
// `show` replaces what it showed before, `print` writes a line above that stays.
//
// All of it goes to standard error. Where that is no terminal only `print` writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

class LiveLines {
 public:
  LiveLines();
  ~LiveLines() { clear(); }
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  bool is_live() const { return live_; }  // false once the terminal is gone
  // Lines longer than the terminal is wide are cut, and the last ones left out where it is too low.
  void show(const std::vector<std::string>& lines);
  void print(std::string_view line);
  void clear();

 private:
  void draw(std::string_view above);
  std::size_t rows_drawn(int columns) const;

  bool live_;
  std::vector<std::string> lines_;
  std::vector<std::size_t> drawn_;  // how wide the lines on the screen are
};

}  // namespace cli
