// From an experiment to finished jobs: what is planned is what programs get.
#include <fstream>
#include <random>

#include "kxm/fixture_test.h"
#include "kxm/kxm.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::List;
using testing::AllOf;
using testing::HasSubstr;

class PlanAndRun : public RunTest {
 protected:
  // A program that shows its arguments, one a line.
  std::string program() const {
    std::string file = (folder / "show.sh").string();
    std::ofstream(file) << "printf '<%s>\\n' \"$@\"; printf 'V=<%s>\\n' \"$V\"\n";
    return file;
  }
  int record(const Experiment& xp) {
    PlanContext context{.xid = state.reserve(), .cwd = folder.path().string()};
    planned = make_plan(xp, context);
    state.record(planned);
    return planned.xid;
  }
  Plan planned;
};

TEST_F(PlanAndRun, ProgramsGetWhatWasPlanned) {
  const std::string text = "it's \"q\" $HOME `x` \\ %d\n😀";
  const int xid =
      record(Experiment{.debug = Debug{.xprof_port = true},
                        .jobs = {{"show", Job{.target = program(),
                                              .args = {{"text", text}, {"dir", WU_DIR_PROXY}},
                                              .env_vars = {{"V", text}}}}},
                        .root_dir = "runs",
                        .subdir_format = SubdirFormat{.wu_dirname = "{wid}-{sweep_kwargs}"},
                        .sweep_info = SimpleSweep{List{Dict{{"lr", 0.1}}, Dict{{"lr", 1e-5}}}}});
  EXPECT_EQ(run(xid).units, counts(2));
  const std::string dir = (folder / "runs" / std::to_string(xid) / "2-lr=1e-05").string();
  EXPECT_EQ(state.unit(xid, 2).dir, dir);
  EXPECT_THAT(log(xid, 2),
              AllOf(HasSubstr("<--text=" + text + ">\n<--dir=" + dir + ">\n<--lr=1e-05>\n"),
                    HasSubstr("V=<" + text + ">\n")));
  EXPECT_THAT(log(xid, 2), testing::ContainsRegex("<--xprof_port=[1-9][0-9]+>"));
}

// Whatever it is, up to the program.
TEST_F(PlanAndRun, AnyTextArrivesUnchanged) {
  static const std::vector<std::string> kParts = {
      "a", "'", "\"", "\\", "%",  "%%",  "%s",   "$HOME", " ", "\n",   "\t",  "`x`",
      "😀", "é", "=",  "--", "{}", "[1]", "null", "#",     "*", "\x01", "\x7f"};
  std::mt19937 random(11);
  std::vector<std::string> texts;
  List items;
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (auto n = random() % 9; n > 0; --n) text += kParts[random() % kParts.size()];
    texts.push_back(text);
    items.push_back(Dict{{"b", text}});
  }
  const int xid = record(
      Experiment{.jobs = {{"show", Job{.target = program()}}}, .sweep_info = SimpleSweep{items}});
  EXPECT_EQ(run(xid).units, counts(40));
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(log(xid, i + 1), "<--b=" + texts[static_cast<std::size_t>(i)] + ">\nV=<>\n");
  }
}

}  // namespace

// Asks for three units in all, one after the other.
struct OneByOne {
  void plan(Orchestration& all) const { all.add({.job_kwargs = Dict{{"number", 1}}}); }
  void step(Orchestration& all, const Progress& progress) const {
    const int units = static_cast<int>(progress.size());
    if (units < 3) all.add({.job_kwargs = Dict{{"number", units + 1}}});
  }
};

}  // namespace kxm

KXM_COMPONENT(kxm::Orchestrator, kxm::OneByOne);

namespace kxm {
namespace {

TEST_F(PlanAndRun, SearchesAddUnitsMeanwhile) {
  const int xid =
      record(Experiment{.jobs = {{"show", Job{.target = program()}}}, .orchestrator = OneByOne()});
  ASSERT_NE(planned.steering, nullptr);
  std::vector<PlannedUnit> units = planned.units;
  const auto result = run(xid, {.on_event = [&](const Event& event) {
                            if (event.kind != Event::Kind::ended) return;
                            Progress progress;
                            for (auto& unit : units)
                              progress.push_back({.unit = &unit, .is = UnitIs::finished});
                            auto changes = planned.steering->step(progress);
                            if (changes.added.empty()) return;
                            Plan more = planned;
                            more.units = changes.added;
                            state.record(more);
                            units.insert(units.end(), changes.added.begin(), changes.added.end());
                          }});
  EXPECT_EQ(result.units, counts(3));
  EXPECT_THAT(log(xid, 3), HasSubstr("<--number=3>"));
}

}  // namespace
}  // namespace kxm
