// What is recorded is read back the same, whatever the texts are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "konfig/json.h"
#include "kxm/plan_json_impl.h"
#include "kxm/records_impl.h"
#include "kxm/state.h"
#include "kxm/text_impl.h"

namespace kxm {
namespace {

// Any bytes but zero, which no argument can have; often pieces of characters.
std::string any_text(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "\"",
                                                   "\\",
                                                   "\n",
                                                   "\xf0\x9f\x8d\xb2",
                                                   "\xff",
                                                   "é",
                                                   "%",
                                                   "'",
                                                   " ",
                                                   "\xed\xa0\x80",
                                                   "\xc3",
                                                   "{}",
                                                   "=",
                                                   "\t",
                                                   "--",
                                                   "\x01",
                                                   "\x7f"};
  std::string out;
  for (auto n = random() % 8; n > 0; --n) out += kPieces[random() % kPieces.size()];
  return out;
}

std::vector<std::string> any_texts(std::mt19937& random) {
  std::vector<std::string> out;
  for (auto n = random() % 5; n > 0; --n) out.push_back(any_text(random));
  return out;
}

TEST(PlanJson, AnyTextComesBack) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    PlannedUnit unit;
    unit.wid = i + 1;
    unit.identity = any_text(random);
    unit.dir = any_text(random);
    unit.args = {{"lr", 0.5}, {"name", "x"}};
    PlannedJob job;
    job.name = any_text(random);
    job.argv = any_texts(random);
    job.env["A"] = any_text(random);
    job.env["B"] = any_text(random) + "=" + any_text(random);
    job.secrets = {"KEY"};
    job.after = any_texts(random);
    job.role = static_cast<Role>(i % 3);
    job.resources = {.cpus = i / 2.0, .memory = std::int64_t{i} << 30, .gpus = i, .seconds = i};
    unit.jobs = {job, {.name = "plain"}};
    const auto read = units_from_json(units_json(std::span(&unit, 1)));
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0].identity, unit.identity);
    EXPECT_EQ(read[0].dir, unit.dir);
    EXPECT_EQ(read[0].jobs, unit.jobs);
    EXPECT_EQ(konfig::to_json(read[0].args), konfig::to_json(unit.args));

    Plan plan;
    plan.xid = i;
    plan.title = any_text(random);
    plan.tags = any_texts(random);
    plan.texts = {{"Jobs", any_text(random)}};
    const Heading heading = heading_from_json(heading_json(
        {.plan = plan, .executor = "local", .host = any_text(random), .created = 1.5}));
    EXPECT_EQ(heading.plan.title, plan.title);
    EXPECT_EQ(heading.plan.tags, plan.tags);
    EXPECT_EQ(heading.plan.texts, plan.texts);

    std::vector<std::string> unpacked;
    unpack(pack(job.argv), [&](std::string_view text) { unpacked.emplace_back(text); });
    EXPECT_EQ(unpacked, job.argv);
  }
}

TEST(PlanJson, EveryEndComesBack) {
  for (int i = 0; i <= static_cast<int>(End::dropped); ++i) {
    const Ended ended = {.how = static_cast<End>(i),
                         .code = i,
                         .host = "h",
                         .started = 1.25,
                         .ended = 2.5,
                         .reason = i % 2 ? "why \xff" : ""};
    const Ended read = ended_from_json(ended_json(ended));
    EXPECT_EQ(read.how, ended.how);
    EXPECT_EQ(read.code, i);
    EXPECT_EQ(read.started, 1.25);
    EXPECT_EQ(read.reason, ended.reason);
    EXPECT_FALSE(why(read).empty());
  }
  EXPECT_THROW(ended_from_json(R"({"how": "well"})"), konfig::Error);
}

TEST(Records, NamesOfFoldersCannotLeadOut) {
  EXPECT_EQ(attempt_folder("h", 3, "train", 1), "h/jobs/3/train/1");
  EXPECT_EQ(attempt_folder("h", 3, "../a b", 1), "h/jobs/3/%2e.%2fa%20b/1");
  EXPECT_EQ(attempt_folder("h", 3, "eval é", 2), "h/jobs/3/eval%20é/2");
}

}  // namespace
}  // namespace kxm
