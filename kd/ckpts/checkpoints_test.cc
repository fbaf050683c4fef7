// Checkpoints: saving, keeping, restoring, damage.
#include "kd/ckpts/checkpoints_test.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "kd/ckpts/files_impl.h"
#include "kd/ckpts/folder_store_impl.h"
#include "kd/core/ops.h"
#include "konfig/json.h"
#include "konfig/load.h"
#include "kontext/get.h"

namespace checkpoints_test {

// Keeps what was saved at even steps, and answers too little when there are many.
struct EvenSteps {
  std::size_t most = 100;
  std::vector<bool> kept(const std::vector<kd::ckpts::Info>& infos) const {
    std::vector<bool> out;
    for (auto& info : infos) out.push_back(info.step % 2 == 0);
    out.resize(std::min(out.size(), most));
    return out;
  }
};

using namespace kd;

// Folders of a user's own, told what they share with those of a Checkpointer.
struct Elsewhere {
  std::string place = "";
  int most = 5;
  std::unique_ptr<ckpts::Store> open(const std::filesystem::path& workdir, bool read_only) const {
    const ckpts::Checkpointer usual{.save_interval_steps = 1, .max_to_keep = most};
    return usual.open(place.empty() ? workdir : std::filesystem::path(place), read_only);
  }
  std::optional<std::filesystem::path> own_folder() const {
    return place.empty() ? std::nullopt : std::optional<std::filesystem::path>(place);
  }
  Poly<Checkpoints> moved_to(const std::filesystem::path& folder, std::optional<int> most) const {
    return Elsewhere{.place = folder.string(), .most = most.value_or(this->most)};
  }
  std::optional<ckpts::BestMetric> best_metric(std::int64_t last_step) const {
    return ckpts::BestMetric{.path = "eval.accuracy", .steps = {0, last_step}};
  }
};

}  // namespace checkpoints_test
KD_COMPONENT(kd::PreservationPolicy, checkpoints_test::EvenSteps);
KD_COMPONENT(kd::Checkpoints, checkpoints_test::Elsewhere);

namespace kd::ckpts {
namespace {

using checkpoints_test::Elsewhere;
using checkpoints_test::EvenSteps;

// ---- Saving and restoring -----------------------------------------------------------------------

TEST_F(Checkpoints, RestoreEverythingAsItWas) {
  Manager manager(Checkpointer{.save_interval_steps = 5}, workdir_);
  Tree changing = state(7);
  manager.save(5, {.state = changing,
                   .items = {{"timer", Dict{{"seconds", 0.1}}}, {"ds_iter", Dict{{"next", 160}}}}});
  changing["params"]["dense"]["kernel"].tensor().fill_(-1);  // the copy was taken before
  const Snapshot back = manager.restore();
  EXPECT_EQ(back.step, 5);
  check_same_structure(back.state, state(7));
  EXPECT_EQ(back.state["opt_state"].child(0).type(), "ScaleByAdamState");
  EXPECT_EQ(back.state["opt_state"].child(0).name(0), "nu");
  EXPECT_TRUE(back.state["opt_state"].child(1).is_none());
  EXPECT_THAT(back.state["opt_state"].child(2).texts(), ElementsAre("a", "b"));
  for (auto& [path, tensor] : flatten(state(7))) {
    EXPECT_TRUE(at::equal(tensor, kontext::get_by_path(back.state, path).as<Tensor>())) << path;
  }
  EXPECT_EQ(konfig::to_json(back.items.at("timer")), R"({"seconds": 0.1})");
  EXPECT_EQ(konfig::to_json(back.items.at("ds_iter")), R"({"next": 160})");
  struct stat info;
  ASSERT_EQ(::stat(step(5).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07, 0u);  // not for everybody
}

TEST_F(Checkpoints, WhenToSave) {
  EXPECT_EQ(run({.save_interval_steps = 5, .max_to_keep = {}}, 12), (Steps{0, 5, 10}));
  fs::remove_all(workdir_ / "checkpoints");
  EXPECT_EQ(run({.save_interval_steps = 5, .max_to_keep = {}, .save_on_steps = {3, 11}}, 12),
            (Steps{0, 3, 5, 10, 11}));
  fs::remove_all(workdir_ / "checkpoints");
  EXPECT_EQ(run({.save_interval_steps = 5, .max_to_keep = {}, .never_save_step_zero = true}, 12),
            (Steps{1, 5, 10}));
  Manager manager(Checkpointer{.save_interval_steps = 5}, workdir_);
  EXPECT_FALSE(manager.should_save(5));
  EXPECT_FALSE(manager.should_save(10));
  EXPECT_TRUE(manager.should_save(15));
  EXPECT_THAT(error_of([&] { manager.save(10, {.state = state(1)}); }), HasSubstr("exists"));
}

TEST_F(Checkpoints, NothingIsSavedWithoutOptions) {
  for (const Poly<kd::Checkpoints>& none : {Poly<kd::Checkpoints>(), {NoopCheckpointer{}}}) {
    Manager manager(none, workdir_);
    EXPECT_FALSE(manager.should_save(0));
    manager.save(0, {.state = state(1)});
    EXPECT_THAT(manager.all_steps(), IsEmpty());
    EXPECT_FALSE(manager.latest_step());
    EXPECT_THAT(error_of([&] { manager.restore(); }), HasSubstr("saves nothing"));
  }
  EXPECT_FALSE(fs::exists(workdir_ / "checkpoints"));
}

TEST_F(Checkpoints, AStepThatIsNotThere) {
  run({.save_interval_steps = 5}, 10);
  Manager manager(Checkpointer{.save_interval_steps = 5}, workdir_, true);
  EXPECT_EQ(number(manager.restore(5).state["step"]), 5);
  EXPECT_THAT(error_of([&] { manager.restore(7); }), HasSubstr("step 7; there are: 0, 5, 10"));
  Manager none(Checkpointer{.save_interval_steps = 5}, workdir_ / "none", true);
  EXPECT_THAT(error_of([&] { none.restore(); }), HasSubstr("there is no checkpoint"));
  EXPECT_FALSE(fs::exists(workdir_ / "none"));
}

// ---- What is kept -------------------------------------------------------------------------------

TEST_F(Checkpoints, TheNewestAreKept) {
  EXPECT_EQ(run({.save_interval_steps = 1}, 9), (Steps{7, 8, 9}));
  fs::remove_all(workdir_ / "checkpoints");
  EXPECT_EQ(run({.save_interval_steps = 1, .max_to_keep = 1, .keep_period = 4}, 9),
            (Steps{0, 4, 8, 9}));
  fs::remove_all(workdir_ / "checkpoints");
  EXPECT_EQ(run({.save_interval_steps = 1, .max_to_keep = 2, .keep_time_interval = 3600.0}, 5),
            (Steps{0, 4, 5}));
}

TEST_F(Checkpoints, TheBestAreKept) {
  const std::vector<double> accuracy = {0.1, 0.9, 0.5, 0.9, 0.2, 0.3};
  const Checkpointer best{
      .save_interval_steps = 1, .max_to_keep = 2, .best_metric_path = "eval.accuracy"};
  EXPECT_EQ(run(best, 5, accuracy), (Steps{1, 3}));
  fs::remove_all(workdir_ / "checkpoints");
  Checkpointer lowest = best;
  lowest.best_mode = BestMode::min;
  EXPECT_EQ(run(lowest, 5, accuracy), (Steps{0, 4}));
  // The metrics are read again by a run that goes on.
  Manager again(lowest, workdir_);
  again.save(6, {.state = state(6)}, Dict{{"eval", Dict{{"accuracy", 0.15}}}});
  EXPECT_EQ(again.all_steps(), (Steps{0, 6}));
  EXPECT_THAT(error_of([&] {
                again.save(7, {.state = state(7)}, Dict{{"eval", Dict()}});
              }),
              HasSubstr("best_metric_path 'eval.accuracy' of the checkpoint of step 7"));
  EXPECT_EQ(again.all_steps(), (Steps{0, 6}));
  // At the first checkpoint already. One that was not measured stays.
  Checkpointer wrong = best;
  wrong.best_metric_path = "eval.acuracy";
  Manager first(wrong, workdir_ / "new");
  EXPECT_THAT(error_of([&] {
                first.save(0, {.state = state(0)}, Dict{{"eval", Dict{{"accuracy", 0.15}}}});
              }),
              HasSubstr("did you mean 'accuracy'"));
  again.save(8, {.state = state(8)});
  EXPECT_EQ(again.all_steps(), (Steps{0, 6, 8}));
}

TEST_F(Checkpoints, Policies) {
  auto kept_by = [&](Poly<PreservationPolicy> policy, const std::vector<double>& accuracy = {}) {
    fs::remove_all(workdir_ / "checkpoints");
    return run({.save_interval_steps = 1, .preservation_policy = std::move(policy)}, 9, accuracy);
  };
  EXPECT_EQ(kept_by(LatestN{.n = 2}), (Steps{8, 9}));
  EXPECT_EQ(kept_by(EveryNSteps{.interval_steps = 4}), (Steps{0, 4, 8}));
  EXPECT_EQ(kept_by(ExpStep{.interval = 1, .base = 2}), (Steps{0, 1, 2, 4, 8}));
  EXPECT_EQ(kept_by(AnyPreservationPolicy{{LatestN{.n = 1}, CustomSteps{.steps = {3, 5}}}}),
            (Steps{3, 5, 9}));
  const std::vector<double> accuracy = {0, 1, 2, 9, 4, 5, 8, 3, 2, 1};
  EXPECT_EQ(kept_by(KeepBestN{.metric_path = "eval.accuracy", .n = 2}, accuracy), (Steps{3, 6}));
  EXPECT_EQ(
      kept_by(KeepExpStepAndBestN{.interval = 4, .metric_path = "eval.accuracy", .n = 1}, accuracy),
      (Steps{0, 3, 4, 8}));
  // One of a user's own, alone and among others.
  EXPECT_EQ(kept_by(EvenSteps{}), (Steps{0, 2, 4, 6, 8}));
  EXPECT_EQ(kept_by(AnyPreservationPolicy{{EvenSteps{}, LatestN{.n = 1}}}),
            (Steps{0, 2, 4, 6, 8, 9}));
  EXPECT_THAT(error_of([&] { kept_by(EvenSteps{.most = 2}); }),
              AllOf(HasSubstr("preservation_policy: "), HasSubstr("an answer for each of 3"),
                    HasSubstr("got 2")));
}

TEST(Checkpointer, NamesOfChoices) {
  auto with = [](const char* field, const char* value) {
    return konfig::load<Checkpointer>(Value(Dict{{"save_interval_steps", 1}, {field, value}}));
  };
  EXPECT_EQ(with("on_save_error", "continue").on_save_error, OnSaveError::continue_);
  EXPECT_EQ(with("on_damaged", "previous").on_damaged, OnDamaged::previous);
  EXPECT_EQ(with("best_mode", "min").best_mode, BestMode::min);
  EXPECT_THAT(
      error_of([&] { with("on_save_error", "continu"); }),
      AllOf(HasSubstr("on_save_error"), HasSubstr("stop, continue"), HasSubstr("did you mean")));
}

// ---- What evaluators and checks ask -------------------------------------------------------------

TEST_F(Checkpoints, OnesOwnAreMovedAsACheckpointerIs) {
  const Checkpointer usual{.save_interval_steps = 1, .workdir = std::optional<std::string>("x")};
  for (const Poly<kd::Checkpoints>& one :
       {Poly<kd::Checkpoints>(usual), Poly<kd::Checkpoints>(Elsewhere{.place = "x"})}) {
    EXPECT_EQ(own_folder(one), "x");
    const fs::path folder = workdir_ / (one.holds<Elsewhere>() ? "own" : "usual");
    const Poly<kd::Checkpoints> moved = moved_to(one, folder, 1);
    EXPECT_EQ(own_folder(moved), folder);
    Manager manager(moved, "not here");
    for (int i = 0; i < 3; ++i) manager.save(i, {.state = state(i)});
    manager.wait_until_finished();
    EXPECT_EQ(manager.all_steps(), Steps{2});
    EXPECT_TRUE(fs::exists(step_folder(folder / "checkpoints", 2)));
  }
  EXPECT_FALSE(fs::exists("not here"));
}

TEST(Checkpointer, WithoutTheFurtherMembers) {
  const Poly<kd::Checkpoints> noop = NoopCheckpointer{};
  for (const Poly<kd::Checkpoints>& one : {noop, Poly<kd::Checkpoints>()}) {
    EXPECT_FALSE(own_folder(one));
    EXPECT_EQ(moved_to(one, "elsewhere").type(), one.type());
    EXPECT_FALSE(best_metric(one, 10));
  }
}

TEST(Checkpointer, TheBestMetricAndTheStepsThatNeedIt) {
  Checkpointer options{.save_interval_steps = 5, .max_to_keep = 2};
  EXPECT_FALSE(best_metric(options, 10));
  options.best_metric_path = "eval.accuracy";
  EXPECT_EQ(best_metric(options, 10)->path, "eval.accuracy");
  EXPECT_EQ(best_metric(options, 10)->steps, (Steps{0, 5, 10}));
  EXPECT_THAT(best_metric(options, 5)->steps, IsEmpty());  // all of them are kept
  options.preservation_policy = LatestN{.n = 2};
  EXPECT_FALSE(best_metric(options, 10));
  EXPECT_EQ(best_metric(Elsewhere{}, 7)->steps, (Steps{0, 7}));
}

// ---- Damage -------------------------------------------------------------------------------------

TEST_F(Checkpoints, DamageIsFoundAndNamed) {
  run({.save_interval_steps = 5}, 10);
  for (auto& entry : fs::directory_iterator(step(10))) {
    const std::string whole = read_file(entry.path());
    for (std::size_t at : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
      flip_byte(entry.path(), at);
      Manager manager(Checkpointer{.save_interval_steps = 5}, workdir_, true);
      EXPECT_THAT(error_of([&] { manager.restore(); }),
                  HasSubstr("ckpt_10/" + entry.path().filename().string() + ": damaged"))
          << at;
      flip_byte(entry.path(), at);
    }
    fs::resize_file(entry.path(), whole.size() - 1);
    Manager manager(Checkpointer{.save_interval_steps = 5}, workdir_, true);
    EXPECT_THAT(error_of([&] { manager.restore(); }),
                HasSubstr("ckpt_10/" + entry.path().filename().string() + ": damaged"));
    std::ofstream(entry.path(), std::ios::binary) << whole;
  }
  fs::remove(step(10) / "state.json");
  Manager manager(Checkpointer{.save_interval_steps = 5}, workdir_, true);
  EXPECT_THAT(error_of([&] { manager.restore(); }),
              AllOf(HasSubstr("ckpt_10/state.json: damaged: the file is missing"),
                    HasSubstr("on_damaged=previous the one of step 5")));
}

TEST_F(Checkpoints, TheOneBeforeIsUsedIfAsked) {
  run({.save_interval_steps = 5}, 10);
  flip_byte(step(10) / "state.safetensors", 200);
  const Checkpointer options{.save_interval_steps = 5, .on_damaged = OnDamaged::previous};
  EXPECT_EQ(Manager(options, workdir_, true).restore().step, 5);
  EXPECT_TRUE(fs::exists(step(10)));
  Manager manager(options, workdir_);
  testing::internal::CaptureStderr();
  EXPECT_EQ(manager.restore().step, 5);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("ckpt_10/state.safetensors: damaged: "),
                    HasSubstr("; kept as ckpt_10.damaged; going on from step 5\n")));
  EXPECT_EQ(manager.all_steps(), (Steps{0, 5}));
  EXPECT_TRUE(manager.should_save(10));
  manager.save(10, {.state = state(10)});
  EXPECT_EQ(manager.restore().step, 10);
  EXPECT_TRUE(fs::exists(step(10).string() + ".damaged"));
}

TEST_F(Checkpoints, WhereAllAreDamagedEachIsNamedAndNoneIsChanged) {
  run({.save_interval_steps = 5}, 10);
  for (int i : {0, 5, 10}) flip_byte(step(i) / "state.safetensors", 200);
  const Checkpointer options{.save_interval_steps = 5, .on_damaged = OnDamaged::previous};
  const std::string folder = (workdir_ / "checkpoints").string();
  const std::string error = error_of([&] { Manager(options, workdir_).restore(); });
  EXPECT_THAT(error, AllOf(HasSubstr(folder + ": all checkpoints are damaged:\n  " + folder +
                                     "/ckpt_10/state.safetensors: damaged: "),
                           HasSubstr("\n  " + folder + "/ckpt_5/state.safetensors: damaged: "),
                           HasSubstr("\n  " + folder + "/ckpt_0/state.safetensors: damaged: "),
                           HasSubstr("\nNothing was changed. To start over, train into another "
                                     "folder (--cfg.workdir=DIR), or remove " +
                                     folder)));
  EXPECT_EQ(Manager(options, workdir_, true).all_steps(), (Steps{0, 5, 10}));
  EXPECT_THAT(error_of([&] { Manager(options, workdir_, true).restore(); }),
              Not(HasSubstr("start over")));
  // Nor where the one there is is damaged.
  for (int i : {0, 5}) fs::remove_all(step(i));
  const Checkpointer strict{.save_interval_steps = 5};
  EXPECT_THAT(error_of([&] { Manager(strict, workdir_).restore(); }),
              AllOf(HasSubstr("ckpt_10/state.safetensors: damaged: "),
                    HasSubstr(". Nothing was changed. To start over, train into another folder")));
}

TEST_F(Checkpoints, LeftoversAreIgnoredAndRemoved) {
  run({.save_interval_steps = 5}, 10);
  const fs::path half = step(15).string() + ".writing-1";
  fs::create_directories(half);
  fs::create_directories(step(20));  // no manifest
  EXPECT_EQ(Manager(Checkpointer{.save_interval_steps = 5}, workdir_, true).all_steps(),
            (Steps{0, 5, 10}));
  EXPECT_TRUE(fs::exists(half));
  EXPECT_EQ(*Manager(Checkpointer{.save_interval_steps = 5}, workdir_).latest_step(), 10);
  EXPECT_FALSE(fs::exists(half));
  // What lies in the way of a checkpoint is kept aside.
  std::ofstream(step(20) / "state.json") << "{";
  testing::internal::CaptureStderr();
  save(20, state(20));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("ckpt_20: not a whole checkpoint, it has no manifest.json; kept as "
                        "ckpt_20.damaged"));
  EXPECT_EQ(*Manager(Checkpointer{.save_interval_steps = 5}, workdir_).latest_step(), 20);
  EXPECT_TRUE(fs::exists(step(20).string() + ".damaged/state.json"));
}

TEST_F(Checkpoints, AFailedSaveIsTriedAgainAndKeepsTheOldOne) {
  run({.save_interval_steps = 5}, 5);
  // A file where the folder would be written to makes the save fail.
  int attempts = 0;
  auto fail_next = [&](int i) {
    ++attempts;
    std::ofstream(step(i).string() + ".writing-" + std::to_string(::getpid())) << "in the way";
  };
  FolderStore manager(Checkpointer{.save_interval_steps = 5}, workdir_, false);
  manager.set_between_attempts([&] { fail_next(10); });
  fail_next(10);
  manager.save(10, {.state = state(10)}, {}, false);
  EXPECT_THAT(error_of([&] { manager.wait_until_finished(); }),
              AllOf(HasSubstr("the checkpoint was not saved: "), HasSubstr("cannot be made"),
                    HasSubstr("The one of step 5 is still there")));
  EXPECT_EQ(attempts, 4);
  EXPECT_EQ(manager.all_steps(), (Steps{0, 5}));
  EXPECT_EQ(number(manager.restore({}).state["step"]), 5);

  // What passes leaves no trace.
  manager.set_between_attempts([] {});
  fail_next(10);
  manager.save(10, {.state = state(10)}, {}, false);
  EXPECT_NO_THROW(manager.wait_until_finished());
  EXPECT_EQ(number(manager.restore({}).state["step"]), 10);

  FolderStore patient(
      Checkpointer{.save_interval_steps = 5, .on_save_error = OnSaveError::continue_}, workdir_,
      false);
  patient.set_between_attempts([&] { fail_next(15); });
  fail_next(15);
  patient.save(15, {.state = state(15)}, {}, false);
  EXPECT_NO_THROW(patient.wait_until_finished());
  EXPECT_TRUE(patient.should_save(15));
}

TEST_F(Checkpoints, AFailedReadIsTriedAgain) {
  run({.save_interval_steps = 5}, 5);
  const fs::path file = step(5) / "state.json", aside = step(5) / "aside";
  // A link to itself cannot be opened.
  fs::rename(file, aside);
  fs::create_symlink(file, file);
  FolderStore manager(Checkpointer{.save_interval_steps = 5}, workdir_, /*read_only=*/true);
  int attempts = 1;
  manager.set_between_attempts([&] { ++attempts; });
  EXPECT_THAT(error_of([&] { manager.restore({}); }), HasSubstr("cannot be read"));
  EXPECT_EQ(attempts, 6);

  manager.set_between_attempts([&] { fs::rename(aside, file); });
  EXPECT_EQ(number(manager.restore({}).state["step"]), 5);
}

// Without waiting: as soon as the save has ended.
TEST_F(Checkpoints, AFailedSaveIsReportedBeforeTheNext) {
  FolderStore manager(Checkpointer{.save_interval_steps = 500}, workdir_, false);
  manager.set_between_attempts([] {});
  std::ofstream(workdir_ / "checkpoints") << "in the way";
  EXPECT_NO_THROW(manager.check_saved());
  manager.save(0, {.state = state(0)}, {}, false);
  std::string error;
  while (error.empty()) {
    try {
      manager.check_saved();
    } catch (const konfig::Error& e) {
      error = e.what();
    }
  }
  EXPECT_THAT(error, HasSubstr("the checkpoint was not saved: "));
  EXPECT_NO_THROW(manager.check_saved());  // reported once
}

TEST_F(Checkpoints, AFullDiskIsCalledThat) {
  EXPECT_THAT(error_of([] { write_synced("/dev/full", "x"); }),
              HasSubstr("/dev/full: cannot be written: the disk is full; free some space"));
}

// ---- Killed at any moment -----------------------------------------------------------------------

// Saves in a loop, with every tensor of a checkpoint holding its step.
[[noreturn]] void save_for_ever(const fs::path& workdir) {
  at::set_num_threads(1);
  Manager manager(Checkpointer{.save_interval_steps = 1, .max_to_keep = 2}, workdir);
  for (std::int64_t i = manager.latest_step().value_or(-1) + 1;; ++i) {
    const Tree all = Tree::dict({{"a", Tree(at::full({20000}, i, at::kLong))},
                                 {"b", Tree(at::full({20000}, i, at::kDouble))}});
    manager.save(i, {.state = all, .items = {{"timer", i}}});
  }
}

TEST_F(Checkpoints, KilledAtAnyMoment) {
  const int times = std::getenv("KD_TEST_FULL") ? 200 : 8;
  std::mt19937 random(1);
  std::int64_t last = -1;
  for (int i = 0; i < times; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) save_for_ever(workdir_);
    // At least one more checkpoint, then at a random moment.
    Manager reader(Checkpointer{.save_interval_steps = 1}, workdir_, true);
    while (reader.latest_step().value_or(-1) <= last) ::usleep(200);
    ::usleep(random() % 20000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Snapshot back = reader.restore();
    EXPECT_EQ(back.step, *reader.latest_step());
    EXPECT_GT(back.step, last);
    last = back.step;
    EXPECT_EQ(back.items.at("timer"), Value(last));
    for (const char* name : {"a", "b"}) {
      EXPECT_TRUE((back.state[name].tensor() == last).all().item<bool>()) << name << last;
    }
  }
  const Manager again(Checkpointer{.save_interval_steps = 1}, workdir_);
  for (auto& entry : fs::directory_iterator(workdir_ / "checkpoints")) {
    EXPECT_TRUE(fs::exists(entry.path() / "manifest.json")) << entry.path();
  }
}

// ---- Other programs -----------------------------------------------------------------------------

// Python's `safetensors` where it is installed, else the format read by hand.
TEST_F(Checkpoints, PythonReadsTheTensors) {
  save(3, state(3));
  const std::string script = R"(
import sys
name = sys.argv[1]
try:
    from safetensors import safe_open
    with safe_open(name, 'np') as f:
        kernel = f.get_tensor('params.dense.kernel')
        assert kernel.shape == (3, 4) and (kernel == 3).all(), kernel
        assert 'opt_state[0].nu' in f.keys() and f.metadata()['step'] == '3'
except ImportError:
    import json, struct
    data = open(name, 'rb').read()
    size, = struct.unpack('<Q', data[:8])
    header = json.loads(data[8:8 + size])
    entry = header['params.dense.kernel']
    begin, end = entry['data_offsets']
    values = struct.unpack('<12f', data[8 + size + begin:8 + size + end])
    assert entry['dtype'] == 'F32' and entry['shape'] == [3, 4] and set(values) == {3.0}
    assert 'opt_state[0].nu' in header and header['__metadata__']['step'] == '3'
)";
  std::ofstream(workdir_ / "read.py") << script;
  const std::string command =
      "python3 " + (workdir_ / "read.py").string() + " " + (step(3) / "state.safetensors").string();
  if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace kd::ckpts
