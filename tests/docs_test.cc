// The code in the docs is code that tests compile and run. Each block marked `cpp` stands in one of
// their sources, or in an example: its lines, in order, without comments and spaces; lines between
// them may be left out. Whole config files, and Python, are run by cli/transcript_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "test_paths.h"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Without comments at the end of a line, and without any space.
std::string bare(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    std::erase_if(line, [](unsigned char c) { return std::isspace(c); });
    out += line;
  }
  return out;
}

struct Block {
  int line;
  std::vector<std::string> code = {};  // bare lines
  bool is_file = false;                // a whole config file
};

bool is_frame(const std::string& line) {
  return line.empty() || line.starts_with("#include") || line.starts_with("usingnamespace");
}

std::vector<Block> blocks_of(const fs::path& page) {
  std::vector<Block> out;
  std::istringstream lines(read(page));
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = line == "```cpp";
      if (inside) out.push_back({.line = number});
    } else if (inside) {
      std::string code = bare(line);
      // A test may go on where the page stops: EXPECT_EQ(f(x), 3) runs `f(x);`.
      for (auto* end : {";", "..."}) {
        if (code.ends_with(end)) code.resize(code.size() - std::string(end).size());
      }
      if (code.starts_with("KONFIG_EXPORT")) out.back().is_file = true;
      if (!is_frame(code)) out.back().code.push_back(code);
    }
  }
  return out;
}

bool is_source(const fs::path& file) {
  const std::string name = file.filename().string();
  const bool config = file.string().find("/tests/own/") != std::string::npos;
  if (config || file.string().find("/examples/") != std::string::npos) {
    return name.ends_with(".cc") || name.ends_with(".h");
  }
  return name.ends_with("_test.cc") || name.ends_with("_test.h");
}

std::map<std::string, std::string> sources() {
  const fs::path root = KD_SOURCE_DIR;
  std::map<std::string, std::string> out;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::end(it); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name.starts_with(".") || name.starts_with("build"))) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && is_source(it->path())) {
      out[fs::relative(it->path(), root).string()] = bare(read(it->path()));
    }
  }
  return out;
}

// How many lines of the block the source has, in order.
std::size_t found_in(const std::string& source, const Block& block) {
  std::size_t at = 0, count = 0;
  for (auto& line : block.code) {
    at = source.find(line, at);
    if (at == source.npos) break;
    at += line.size();
    ++count;
  }
  return count;
}

TEST(Docs, CodeIsTested) {
  std::vector<fs::path> pages = {fs::path(KD_SOURCE_DIR) / "README.md"};
  for (auto& entry : fs::directory_iterator(fs::path(KD_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  const auto all = sources();
  ASSERT_GT(all.size(), 50u);
  int blocks = 0;
  for (auto& page : pages) {
    for (auto& block : blocks_of(page)) {
      ++blocks;
      if (block.is_file) continue;
      auto best = std::ranges::max_element(
          all, {}, [&](auto& source) { return found_in(source.second, block); });
      const std::size_t found = found_in(best->second, block);
      if (found == block.code.size()) continue;
      ADD_FAILURE() << page.filename().string() << ":" << block.line
                    << ": no test has this code; nearest is " << best->first << ", which lacks\n  "
                    << block.code[found];
    }
  }
  EXPECT_GT(blocks, 40);
}

// The names of files in the pages lead to files.
TEST(Docs, LinksLead) {
  for (auto& entry : fs::directory_iterator(fs::path(KD_SOURCE_DIR) / "docs")) {
    const std::string text = read(entry.path());
    for (auto at = text.find("]("); at != text.npos; at = text.find("](", at + 1)) {
      const std::string link = text.substr(at + 2, text.find(')', at) - at - 2);
      const std::string file = link.substr(0, link.find('#'));
      if (file.find('.') == file.npos || file.find("://") != file.npos) continue;
      EXPECT_TRUE(fs::exists(entry.path().parent_path() / file))
          << entry.path().filename() << ": " << link;
    }
  }
}

}  // namespace
