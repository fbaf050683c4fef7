#include "kxm/argv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <random>

#include "konfig/literal.h"
#include "kxm/arg_json.h"
#include "kxm/make_plan.h"
#include "kxm/proxies.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::List;
using konfig::Value;
using testing::ElementsAre;

TEST(Argv, TextIsNoListOfArguments) {
  SequentialArgs args;
  EXPECT_THROW(args.add(Value("--x=1")), Error);
  args.add(Value(List{"--x=1"}));
  EXPECT_THAT(args.to_list(), ElementsAre("--x=1"));
}

TEST(Argv, NamesOfVariablesAreChecked) {
  check_env_name("A_1");
  for (const char* name : {"", "1A", "A B", "A=", "É"}) EXPECT_THROW(check_env_name(name), Error);
}

std::string run_shell(const std::string& line) {
  std::string out;
  FILE* pipe = popen(("bash -c " + shell_quote(line)).c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    out.append(buffer.data(), n);
  }
  EXPECT_EQ(pclose(pipe), 0);
  return out;
}

TEST(Argv, ShellsReadQuotedTextBack) {
  std::vector<std::string> words = {"printf", "%s|"};
  std::string expected;
  for (std::string word : {"", "it's", "\"q\" $HOME `x` \\", "a\nb", "😀 é", "%d %%", "-n", "*",
                           "\x1b[2J\t\\", "\xff'\x7f"}) {
    words.push_back(word);
    expected += word + "|";
  }
  const std::string line = shell_line(words);
  EXPECT_EQ(run_shell(line), expected);
  EXPECT_EQ(line.find_first_of("\n\x1b\xff"), line.npos) << line;
}

// Any text, of characters that shells, JSON, Python and printf care about.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kParts = {
      "a", "B", "1",    " ",    "\n",   "\t", "'",   "\"", "\\", "%",   "%%",
      "$", "`", "{",    "}",    "[",    "]",  "😀",   "é",  "=",  "-",   "--",
      ",", ":", "null", "true", "None", "0x", "1e5", "__", "#",  "\x01"};
  std::string out;
  const auto n = random() % 8;
  for (std::size_t i = 0; i < n; ++i) out += kParts[random() % kParts.size()];
  return out;
}

TEST(Argv, AnyTextReachesProgramsUnchanged) {
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    const std::string fixed = random_text(random), swept = random_text(random);
    const Experiment xp{
        .jobs = {{"j",
                  Job{.target = "/bin/true", .args = {{"a", fixed}}, .env_vars = {{"V", fixed}}}}},
        .sweep_info = SimpleSweep{List{Dict{{"b", swept}}}}};
    const PlannedJob job = make_plan(xp).units[0].jobs[0];
    EXPECT_THAT(job.argv, ElementsAre("/bin/true", "--a=" + fixed, "--b=" + swept));
    EXPECT_EQ(job.env.at("V"), fixed);
  }
}

// What a flag of a config means is the value it was made from.
TEST(Argv, ConfigsReadValuesBack) {
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = random_text(random);
    if (text.starts_with("py::")) continue;
    const Value value = random() % 2 ? Value(text) : Value(List{text, 1, true});
    EXPECT_EQ(konfig::parse_flag_value(config_arg_to_text(value)), value) << text;
  }
  for (const Value& value :
       {Value(), Value(1), Value(0.1), Value(1e-5), Value("12"), Value(true)}) {
    EXPECT_EQ(konfig::parse_flag_value(config_arg_to_text(value)), value);
  }
}

TEST(Proxies, AreReplacedInNestedValues) {
  const Experiment xp{
      .jobs = {{"j", Job{.target = "/bin/true",
                         .args = {{"a", List{std::string(WU_DIR_PROXY) + "/x", 1}},
                                  {"b", konfig::call("m:f", {{"dir", XP_DIR_PROXY}})},
                                  {"c", "pre" + file_path("n")}}}}},
      .root_dir = "/r"};
  EXPECT_THAT(
      make_plan(xp, {.xid = 2}).units[0].jobs[0].argv,
      ElementsAre("/bin/true", "--a=[\"/r/2/1/x\", 1]",
                  "--b={\"__qualname__\": \"m:f\", \"dir\": \"/r/2\"}", "--c=pre__kxm_file__(n)"));
}

}  // namespace
}  // namespace kxm
