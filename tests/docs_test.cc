// The code in the docs, and that in the opening comments of headers, is code that tests compile and
// run. Each block stands in one of their sources, or in an example: its lines, in order, without
// comments and spaces; lines between them may be left out, and `...` stands for anything. That of a
// header which users do not include may stand in any source.
// A block is a fence marked `cpp` on a page, or lines indented by three spaces or more in a header.
// Whole config files, and Python, are run by cli/transcript_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "base/cpp_tokens.h"
#include "base/file.h"
#include "test_paths.h"

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Is the next token of a text within `#if 0`?
class Disabled {
 public:
  bool next(const base::Token& token) {
    if (token.kind != base::Token::kDirective) return depth_ > 0;
    const std::string_view text = token.text;
    const bool begins = text.starts_with("#if");
    if (begins && (depth_ > 0 || text.starts_with("#if 0"))) ++depth_;
    if (depth_ > 0 && text.starts_with("#endif")) --depth_;
    if (depth_ == 1 && text.starts_with("#el")) depth_ = 0;
    return depth_ > 0;
  }

 private:
  int depth_ = 0;  // of the #if that are open, from `#if 0` on
};

// Without any space, and without what is not compiled: comments, and what is within `#if 0`.
std::string bare(const std::string& text) {
  std::string out = text;
  Disabled disabled;
  for (const base::Token& token : base::cpp_tokens(text)) {
    if (!disabled.next(token) && token.kind != base::Token::kComment) continue;
    std::fill_n(out.begin() + (token.text.data() - text.data()), token.text.size(), ' ');
  }
  std::erase_if(out, [](unsigned char c) { return std::isspace(c); });
  return out;
}

struct Block {
  int line;
  std::vector<std::string> code = {};  // bare pieces of lines
  bool is_file = false;                // a whole config file

  void add(const std::string& line);
};

bool is_frame(const std::string& line) {
  return line.starts_with("#include") || line.starts_with("usingnamespace");
}

void Block::add(const std::string& line) {
  std::string rest = bare(line);
  if (is_frame(rest)) return;
  // A test may go on where the page stops: EXPECT_EQ(f(x), 3) runs `f(x);`.
  if (rest.ends_with(";")) rest.pop_back();
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find("..."), rest.size());
    if (end > 0) code.push_back(rest.substr(0, end));
    rest.erase(0, end + 3);
  }
}

// The mark of a fence that begins or ends on this line: "cpp", "" of a plain one.
std::optional<std::string> fence(const std::string& line) {
  static const std::regex kFence(R"(^\s*(```+|~~~+)\s*(.*?)\s*$)");
  std::smatch found;
  if (!std::regex_match(line, found, kFence)) return std::nullopt;
  return found[2].str();
}

std::vector<Block> blocks_of_page(const std::string& text) {
  std::vector<Block> out;
  std::istringstream lines(text);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (const auto mark = fence(line)) {
      inside = mark == "cpp";
      if (inside) out.push_back({.line = number});
    } else if (inside) {
      out.back().add(line);
      if (line.starts_with("KONFIG_EXPORT")) out.back().is_file = true;
    }
  }
  return out;
}

// Those of the opening comment. What is no code, such as a table, is indented by two spaces.
std::vector<Block> blocks_of_header(const std::string& text) {
  std::vector<Block> out;
  std::istringstream lines(text);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (number == 1 && !line.starts_with("//")) break;
    // Code that goes on behind an empty line is code of the comment, too.
    if (!line.starts_with("//")) {
      inside = false;
      if (line.empty()) continue;
      break;
    }
    const bool is_code = line.starts_with("//   ");
    if (is_code && !inside) out.push_back({.line = number});
    if (is_code) out.back().add(line.substr(2));
    inside = is_code;
  }
  return out;
}

bool is_source(const fs::path& file) {
  const std::string name = file.filename().string();
  const bool config = file.string().starts_with("tests/own/");
  if (config || *file.begin() == "examples") {
    return name.ends_with(".cc") || name.ends_with(".h");
  }
  return name.ends_with("_test.cc") || name.ends_with("_test.h");
}

bool is_page(const fs::path& file) {
  return file.extension() == ".md" && (file.parent_path() == "docs" || file.parent_path().empty());
}

bool is_header(const fs::path& file) { return file.extension() == ".h"; }

bool is_public_header(const fs::path& file) {
  const std::string name = file.filename().string(), top = file.begin()->string();
  return is_header(file) && !name.ends_with("_impl.h") && name.find("_test") == name.npos &&
         top != "tests" && top != "tools" && top != "bench" && top != "examples";
}

// The text of the files that are chosen by their path from the root.
std::map<std::string, std::string> files(bool (*chosen)(const fs::path&)) {
  const fs::path root = KD_SOURCE_DIR;
  std::map<std::string, std::string> out;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::end(it); ++it) {
    const std::string name = it->path().filename().string();
    const fs::path path = fs::relative(it->path(), root);
    if (it->is_directory() && (name.starts_with(".") || name.starts_with("build"))) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && chosen(path)) {
      out[path.string()] = base::read_file(it->path());
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

std::map<std::string, std::string> bare_files(bool (*chosen)(const fs::path&)) {
  auto out = files(chosen);
  for (auto& [name, text] : out) text = bare(text);
  return out;
}

using Sources = std::map<std::string, std::string>;  // bare, by their path from the root

// The tests and examples.
const Sources& sources() {
  static const Sources tested = bare_files(is_source);
  return tested;
}

void expect_tested(const std::string& file, const Block& block, const Sources& in = sources()) {
  if (block.is_file) return;
  auto best = std::ranges::max_element(
      in, {}, [&](auto& source) { return found_in(source.second, block); });
  const std::size_t found = found_in(best->second, block);
  if (found == block.code.size()) return;
  ADD_FAILURE() << file << ":" << block.line << ": no test has this code; nearest is "
                << best->first << ", which lacks\n  " << block.code[found];
}

TEST(Docs, CodeIsTested) {
  std::vector<fs::path> pages = {fs::path(KD_SOURCE_DIR) / "README.md"};
  for (auto& entry : fs::directory_iterator(fs::path(KD_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  ASSERT_GT(sources().size(), 50u);
  int blocks = 0;
  for (auto& page : pages) {
    for (auto& block : blocks_of_page(base::read_file(page))) {
      ++blocks;
      expect_tested(page.filename().string(), block);
    }
  }
  EXPECT_GT(blocks, 40);
}

// A mark that no test knows would leave the block unread.
TEST(Docs, FencesHaveKnownMarks) {
  const std::set<std::string> known = {"", "cmake", "console", "cpp", "py", "sh", "yaml"};
  for (auto& [file, text] : files(is_page)) {
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const auto mark = fence(line);
      if (!mark) continue;
      EXPECT_TRUE(known.contains(*mark)) << file << ":" << number << ": unknown mark " << *mark;
      EXPECT_TRUE(line == "```" + *mark) << file << ":" << number << ": write ```" << *mark;
    }
  }
}

TEST(Docs, CodeInHeadersIsTested) {
  const Sources compiled =
      bare_files([](const fs::path& file) { return file.extension() == ".cc"; });
  int blocks = 0;
  for (auto& [file, text] : files(is_header)) {
    for (auto& block : blocks_of_header(text)) {
      ++blocks;
      expect_tested(file, block, is_public_header(file) ? sources() : compiled);
    }
  }
  EXPECT_GT(blocks, 100);
}

TEST(Docs, WhatIsNotCompiledIsNoTest) {
  EXPECT_EQ(bare("a();  // b();\n/* c();\nd(); */ e(\"// f\");\n"), "a();e(\"//f\");");
  EXPECT_EQ(bare("a();\n#if 0\nb();\n#ifdef X\nc();\n#endif\nd();\n#endif\ne();\n"),
            "a();#endife();");
  EXPECT_EQ(bare("#if 0\na();\n#else\nb();\n#endif\n"), "#elseb();#endif");
}

TEST(Docs, BlocksOfAHeader) {
  const auto blocks = blocks_of_header(
      "// Says what it is for.\n"
      "//\n"
      "//   #include \"x.h\"\n"
      "//   for (auto& x : list) ...       // a comment\n"
      "//   f({.a = ..., .b = 2});\n"
      "//\n"
      "//  name   a table\n"
      "//\n"
      "//     g();\n"
      "#pragma once\n"
      "//   not();\n");
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].line, 3);
  EXPECT_THAT(blocks[0].code, ElementsAre("for(auto&x:list)", "f({.a=", ",.b=2})"));
  EXPECT_THAT(blocks[1].code, ElementsAre("g()"));
}

// The lines of a page outside its fences, without code between backticks; headings as they are.
std::vector<std::string> prose_of(const std::string& page) {
  static const std::regex kCode("`[^`]*`");
  std::vector<std::string> out;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (fence(line)) {
      inside = !inside;
    } else if (!inside) {
      out.push_back(line.starts_with("#") ? line : std::regex_replace(line, kCode, ""));
    }
  }
  return out;
}

// What the headings of a page are called in links, by GitHub's rule.
std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> out;
  for (const std::string& line : prose_of(page)) {
    const auto at = line.find_first_not_of('#');
    if (at == 0 || at == line.npos || line[at] != ' ') continue;
    std::string anchor;
    for (const unsigned char c : line.substr(at + 1)) {
      if (std::isalnum(c) || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(c));
      if (c == ' ') anchor += '-';
    }
    std::string unique = anchor;
    for (int n = 1; !out.insert(unique).second; ++n) unique = anchor + "-" + std::to_string(n);
  }
  return out;
}

std::vector<std::string> links_of(const std::string& page) {
  std::vector<std::string> out;
  for (const std::string& line : prose_of(page)) {
    for (auto at = line.find("]("); at != line.npos; at = line.find("](", at + 1)) {
      out.push_back(line.substr(at + 2, line.find(')', at) - at - 2));
    }
  }
  return out;
}

// Why the link of the page leads nowhere; empty if it leads somewhere.
std::string broken(const fs::path& page, const std::string& link) {
  if (link.find("://") != link.npos) return "";
  const auto hash = link.find('#');
  const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
  if (!fs::exists(target)) return "no such file";
  if (hash == link.npos) return "";
  return anchors_of(base::read_file(target)).contains(link.substr(hash + 1)) ? ""
                                                                             : "no such heading";
}

// The links of the pages lead to files and headings.
TEST(Docs, LinksLead) {
  int count = 0;
  for (auto& [file, text] : files(is_page)) {
    for (const std::string& link : links_of(text)) {
      ++count;
      EXPECT_EQ(broken(fs::path(KD_SOURCE_DIR) / file, link), "") << file << ": " << link;
    }
  }
  EXPECT_GT(count, 50);
}

TEST(Docs, LinksOfAPage) {
  const std::string page =
      "# One `x.h`: it's_a-test\n"
      "[a](b.md#c) and `[](int x)`, [d](#e)\n"
      "```\n"
      "# two\n"
      "[f](g)\n"
      "```\n"
      "## Three\n"
      "## Three\n";
  EXPECT_THAT(links_of(page), ElementsAre("b.md#c", "#e"));
  EXPECT_THAT(anchors_of(page), ElementsAre("one-xh-its_a-test", "three", "three-1"));
}

TEST(Docs, BrokenLinks) {
  const fs::path page = fs::path(KD_SOURCE_DIR) / "CONTRIBUTING.md";
  EXPECT_EQ(broken(page, "docs/architecture.md#parts"), "");
  EXPECT_EQ(broken(page, "#add-a-verb"), "");
  EXPECT_EQ(broken(page, "dox/architecture.md"), "no such file");
  EXPECT_EQ(broken(page, "docs/architecture.md#nowhere"), "no such heading");
}

// The verb to start from is the one that tests/adding_test builds.
TEST(Docs, TheVerbOfContributingIsBuilt) {
  const fs::path root = KD_SOURCE_DIR;
  EXPECT_THAT(base::read_file(root / "CONTRIBUTING.md"),
              HasSubstr("\n```\n" + base::read_file(root / "tests/adding/greet.cc") + "```\n"));
}

}  // namespace
