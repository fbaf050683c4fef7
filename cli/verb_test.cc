// The tables of the verbs, and what one of them needs: nothing but its own file.
#include "cli/verb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/command_line.h"
#include "cli/complete.h"
#include "cli/errors.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Unit { cups, spoons };

struct CountOptions {
  int from = 0;
  Unit unit = Unit::cups;
  std::vector<std::string> words = {};
  std::string prepared = "";
};

std::vector<Candidate> numbers(const Typing& typing) {
  return {{"10", std::to_string(typing.before.size()) + " words before"}, {"20"}};
}

const AddVerb<> test_group = {{.name = "test_group", .summary = "Verbs of this test"}};

const AddVerb<CountOptions> test_verb = {{
    .name = "test_group count",
    .summary = "Count words",
    .help = "\nExample:\n  kd test_group count a b",
    .options =
        [](Options& add, CountOptions& o) {
          add.value("WORD", o.words, "WORD", "What is counted");
          add.value("--from", o.from, "N", "Where it starts", numbers)->capture_default_str();
          add.choice("--unit", o.unit, "What it counts");
        },
    .prepare =
        [](std::vector<std::string>& args, CountOptions& o) {
          o.prepared = args.back();
          args.pop_back();
        },
    .run = [](Session&, const CountOptions& o) -> int {
      return o.from + static_cast<int>(o.words.size()) + (o.prepared == "last" ? 100 : 0);
    },
}};

// cli/verb.h, with a name that no verb of kd has.
struct GetOptions {
  std::string path = "";
};
int get(Session& session, const GetOptions& options) {
  return !session.has_config() && options.path == "seed" ? 7 : 8;
}
const AddVerb<GetOptions> verb = {{
    .name = "read",
    .summary = "Print one value",
    .options =
        [](Options& add, GetOptions& o) {
          add.value("PATH", o.path, "PATH", "The place", config_paths)->required();
        },
    .run = get,
}};

int run_line(std::vector<std::string> args) {
  CommandLine line;
  line.prepare(args);
  line.parse(args);
  Session session(std::vector<std::string>{});
  return line.run(session);
}

TEST(Verb, NamesThatCannotBe) {
  const VerbEntry group{.about = {.name = "tea"}}, verb{.about = {.name = "tea pour"}},
      other{.about = {.name = "milk pour"}};
  EXPECT_NO_THROW(check_names({&group, &verb}));
  EXPECT_THROW(check_names({&group, &verb, &verb}), std::logic_error);
  EXPECT_THROW(check_names({&group, &other}), std::logic_error);
}

TEST(Verb, AVerbNeedsAName) {
  const VerbEntry forgotten{.about = {.summary = "Pour tea"}}, flag{.about = {.name = "--tea"}};
  for (const VerbEntry* verb : {&forgotten, &flag}) {
    EXPECT_THROW(check_names({verb}), std::logic_error);
  }
}

std::string fault_of(void (*add_options)(Options& add)) {
  CLI::App command;
  command.set_help_flag("--help");
  Completers completers;
  Options options(command, completers);
  const VerbEntry verb{.about = {.name = "tea"}, .bind = [=](Options& add) {
                         add_options(add);
                         return VerbEntry::Bound{};
                       }};
  try {
    bind(verb, options);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(Verb, OptionsThatCannotBe) {
  static int n = 0;
  EXPECT_EQ(fault_of([](Options& add) { add.value("--cups", n, "N", "How many"); }), "");
  EXPECT_THAT(fault_of([](Options& add) {
                add.value("--cups", n, "N", "How many");
                add.value("--cups", n, "N", "How many");
              }),
              HasSubstr("cli/verbs: 'tea': "));
  EXPECT_THAT(fault_of([](Options& add) { add.value("--help", n, "N", "How many"); }),
              HasSubstr("cli/verbs: 'tea': "));
  EXPECT_THAT(fault_of([](Options& add) { add.value("-", n, "N", "How many"); }),
              HasSubstr("cli/verbs: 'tea': "));
  EXPECT_EQ(fault_of([](Options& add) { add.value("--cfg", n, "N", "How many"); }),
            "cli/verbs: 'tea': the option --cfg is that of every verb");
}

TEST(Verb, OptionsPrepareAndRun) {
  EXPECT_EQ(run_line({"test_group", "count", "a", "b", "--from=3", "last"}), 105);
  EXPECT_EQ(run_line({"test_group", "count", "first"}), 0);
  EXPECT_THROW(run_line({"test_group", "count", "--unit=bowls", "last"}), CLI::ParseError);
  EXPECT_THROW(run_line({"test_group"}), UsageError);
}

TEST(Verb, Help) {
  CommandLine line;
  const std::string group = help_of(line.command_of({"test_group", ""}));
  EXPECT_THAT(group, HasSubstr("Verbs of this test\n"));
  EXPECT_THAT(group, HasSubstr("Count words"));
  EXPECT_THAT(group, HasSubstr("kd test_group COMMAND --help.\n"));
  const std::string verb = help_of(line.command_of({"test_group", "count", ""}));
  EXPECT_THAT(verb, HasSubstr("Usage: kd test_group count [WORD...] [FLAGS]\n"));
  EXPECT_THAT(verb, HasSubstr("--from N = 0 "));
  EXPECT_THAT(verb, HasSubstr("--unit {cups,spoons} = cups"));
  EXPECT_THAT(verb, HasSubstr("\nExample:\n  kd test_group count a b\n"));
}

TEST(Verb, Completion) {
  CommandLine line;
  const auto words = [&](const std::vector<std::string>& typed) {
    std::vector<std::string> out;
    for (auto& c : complete(line, typed)) out.push_back(c.word + c.note);
    return out;
  };
  EXPECT_THAT(words({"test_group", "count", "--from=1"}), ElementsAre("--from=102 words before"));
  EXPECT_THAT(words({"test_group", "count", "--from", "2"}), ElementsAre("20"));
  EXPECT_THAT(words({"test_group", "count", "--unit="}),
              ElementsAre("--unit=cups", "--unit=spoons"));
}

TEST(Verb, GroupsComeBeforeWhatIsInThem) {
  std::set<std::string> seen;
  for (auto* verb : all_verbs()) {
    const std::string name = verb->about.name;
    if (const auto end = name.rfind(' '); end != name.npos) {
      EXPECT_TRUE(seen.contains(name.substr(0, end))) << name;
    }
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_STRNE(verb->about.summary, "") << name;
  }
}

// "config get" is in cli/verbs/config_get.cc, kd itself in cli/verbs/kd.cc.
TEST(Verb, EachFileAddsOne) {
  std::set<std::string> verbs;
  for (auto* verb : all_verbs()) {
    std::string name = verb->about.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    verbs.insert(name.empty() ? "kd" : name);
  }
  for (auto& entry : fs::directory_iterator(KD_SOURCE_DIR "/cli/verbs")) {
    const std::string file = entry.path().stem().string();
    if (file.ends_with("_test")) continue;
    // A name that would be a test's has this behind it.
    const std::string verb = file.substr(0, file.rfind("_verb"));
    EXPECT_TRUE(verbs.contains(verb)) << entry.path();
  }
}

}  // namespace
}  // namespace cli
