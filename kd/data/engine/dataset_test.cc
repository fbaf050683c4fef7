// Batches: sizes, remainders, states that are saved and restored, and what is made of datasets.
#include "kd/data/engine/dataset.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/temp_folder.h"
#include "kd/data/engine/batch.h"
#include "kd/data/engine/buffers.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/profile.h"
#include "kd/data/engine/transform.h"
#include "konfig/error.h"

namespace kd::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;

Numbers numbers_of(const Tree& batch) {
  const Tensor t = batch["i"].tensor().contiguous();
  return {t.const_data_ptr<std::int64_t>(), t.const_data_ptr<std::int64_t>() + t.numel()};
}
std::vector<Numbers> all_of(Iterator& it) {
  std::vector<Numbers> out;
  while (auto batch = it.next()) out.push_back(numbers_of(*batch));
  return out;
}
std::vector<Numbers> all_of(const Dataset& ds) {
  Iterator it = ds.iterate();
  return all_of(it);
}

Step odd() {
  return {.name = "Odd",
          .filter = [](const Tree& r) { return r["i"].tensor().item().toLong() % 2 == 1; }};
}

struct Settings {
  std::int64_t n = 10;
  Batching batching = {.num_epochs = 2, .batch_size = 3};
  Process process = {};
  bool filter = false;
  bool shuffle = true;
};
Dataset make(const Settings& s) {
  StreamPtr out = ordered(in_memory(Tree::dict({{"i", at::arange(s.n, at::kLong)}})), root_key(7),
                          s.shuffle, s.process);
  if (s.filter) out = with_step(out, odd());
  return batched(out, s.batching, s.process);
}

TEST(Batches, EveryRecordOnceForAnySizeBatchAndProcess) {
  for (std::int64_t n : {1, 5, 12, 31}) {
    for (int count : {1, 2, 3}) {
      for (std::int64_t per_process : {1, 2, 5}) {
        std::multiset<std::int64_t> seen;
        for (int index = 0; index < count; ++index) {
          const Dataset ds = make({.n = n,
                                   .batching = {.num_epochs = 1,
                                                .batch_size = per_process * count,
                                                .remainder = Remainder::keep},
                                   .process = {index, count}});
          std::int64_t batches = 0;
          for (auto& batch : all_of(ds)) seen.insert(batch.begin(), batch.end()), ++batches;
          EXPECT_EQ(batches, ds.size());
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(n));
        EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), static_cast<std::size_t>(n));
      }
    }
  }
}

TEST(Batches, TheNumberOfWorkersDoesNotMatter) {
  for (bool filter : {false, true}) {
    for (std::optional<std::int64_t> batch_size : {std::optional<std::int64_t>(7), {}}) {
      Settings settings{
          .n = 100,
          .batching = {.num_epochs = 3, .batch_size = batch_size, .remainder = Remainder::keep},
          .filter = filter};
      const auto alone = all_of(make(settings));
      for (int workers : {1, 2, 5}) {
        settings.batching.num_workers = workers;
        settings.batching.buffer_size = workers;
        EXPECT_EQ(all_of(make(settings)), alone) << workers;
      }
    }
  }
}

TEST(Batches, StatesFitAnyNumberOfWorkers) {
  for (bool filter : {false, true}) {
    Settings settings{.n = 40, .batching = {.num_epochs = 2, .batch_size = 6}, .filter = filter};
    const Dataset alone = make(settings);
    settings.batching.num_workers = 2;
    const Dataset together = make(settings);
    const auto all = all_of(alone);
    Iterator first = alone.iterate(), other = together.iterate();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(first.state(), other.state());
      Iterator a = alone.iterate(), b = together.iterate();
      a.restore(other.state());
      b.restore(first.state());
      EXPECT_EQ(numbers_of(*a.next()), all[i]);
      EXPECT_EQ(numbers_of(*b.next()), all[i]);
      first.next(), other.next();
    }
  }
}

TEST(Batches, WorkersHandOverErrors) {
  StreamPtr s = stream(in_memory(Tree::dict({{"i", at::arange(40, at::kLong)}})));
  s = with_step(s, {.name = "my::Step", .map = [](Tree r) {
                      if (r["i"].tensor().item().toLong() == 25) {
                        throw konfig::Error(konfig::ErrorKind::value, "no");
                      }
                      return r;
                    }});
  Iterator it = batched(s, {.num_epochs = 1, .batch_size = 4, .num_workers = 2}).iterate();
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(it.next().has_value());
  EXPECT_THROW(it.next(), konfig::Error);
  EXPECT_THROW(it.next(), konfig::Error);
  EXPECT_THAT(it.state(), HasSubstr("24"));
}

TEST(Batches, PrefetchReadsAheadAndRemembersWhere) {
  const Dataset ds = make({}), ahead = ds.prefetch(3);
  const auto all = all_of(ds);
  EXPECT_EQ(all_of(ahead), all);
  Iterator it = ahead.iterate();
  it.next(), it.next();
  Iterator other = ds.iterate();
  other.restore(it.state());
  EXPECT_EQ(all_of(other), std::vector(all.begin() + 2, all.end()));
  EXPECT_THROW(ds.prefetch(0), konfig::Error);
}

TEST(Batches, RestoredIteratorsGoOnAsIfNothingHappened) {
  for (bool filter : {false, true}) {
    for (Remainder remainder : {Remainder::drop, Remainder::keep, Remainder::pad}) {
      const Dataset ds =
          make({.batching = {.num_epochs = 3, .batch_size = 3, .remainder = remainder},
                .filter = filter});
      const auto all = all_of(ds);
      for (std::size_t stop = 0; stop <= all.size(); ++stop) {
        Iterator first = ds.iterate();
        for (std::size_t i = 0; i < stop; ++i) first.next();
        Iterator second = ds.iterate();
        second.next();  // what it did before does not matter
        second.restore(first.state());
        EXPECT_EQ(all_of(second),
                  std::vector(all.begin() + static_cast<std::ptrdiff_t>(stop), all.end()));
        EXPECT_FALSE(second.next().has_value());
      }
    }
  }
}

Numbers records_of(const Iterator& it) {
  Numbers out;
  for (const RecordId& id : it.records()) {
    EXPECT_EQ(id.source, 0);
    out.push_back(id.record);
  }
  return out;
}

// The records hold their own number.
TEST(Batches, NameTheirRecords) {
  for (bool filter : {false, true}) {
    for (int workers : {0, 2}) {
      for (std::int64_t batch_size : {0, 3}) {
        const Dataset ds = make({.batching = {.num_epochs = 2,
                                              .batch_size = batch_size,
                                              .remainder = Remainder::keep,
                                              .num_workers = workers},
                                 .filter = filter});
        for (const Dataset& each : {ds, ds.prefetch(2), ds.take(4), ds.cache()}) {
          Iterator it = each.iterate();
          EXPECT_THAT(records_of(it), ElementsAre());
          while (auto batch = it.next()) EXPECT_EQ(records_of(it), numbers_of(*batch));
        }
      }
    }
  }
  const Dataset share =
      make({.batching = {.num_epochs = 1, .batch_size = 4}, .process = {.index = 1, .count = 2}});
  Iterator it = share.iterate();
  while (auto batch = it.next()) EXPECT_EQ(records_of(it), numbers_of(*batch));
}

TEST(Batches, RecordsOfMixturesHaveTheirSource) {
  auto numbers = [](std::int64_t n) {
    return stream(in_memory(Tree::dict({{"i", at::arange(n, at::kLong)}})));
  };
  const StreamPtr inner = mixed({shuffled(numbers(6), 1), numbers(6)}, {});
  Iterator it =
      batched(mixed({numbers(12), inner}, {}), {.num_epochs = 1, .batch_size = 8}).iterate();
  const auto batch = it.next();
  const auto ids = it.records();
  ASSERT_EQ(ids.size(), 8u);
  const std::int64_t sources[] = {0, 1, 0, 2, 0, 1, 0, 2};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(ids[i].source, sources[i]);
    EXPECT_EQ(ids[i].record, numbers_of(*batch)[i]);
  }
}

TEST(Batches, StatesAreTextOrValues) {
  const Dataset ds = make({});
  Iterator it = ds.iterate();
  it.next();
  Iterator by_text = ds.iterate(), by_value = ds.iterate();
  by_text.restore(it.state());
  by_value.restore(it.state_value());
  EXPECT_THAT(records_of(by_text), ElementsAre());
  const auto next = numbers_of(*it.next());
  EXPECT_EQ(numbers_of(*by_text.next()), next);
  EXPECT_EQ(numbers_of(*by_value.next()), next);
}

TEST(Batches, NotCheckpointedStartsOver) {
  const Dataset ds = not_checkpointed(make({}));
  Iterator it = ds.iterate();
  const auto first = numbers_of(*it.next());
  EXPECT_EQ(it.state(), "{}");
  it.restore(it.state());
  EXPECT_EQ(numbers_of(*it.next()), first);
}

// An epoch allocates no more than its first batches: buffers are used again.
TEST(Batches, MemoryIsUsedAgain) {
  const Tree examples = Tree::dict({{"x", at::zeros({512, 64}, at::kByte)}});
  const Step to_float{
      .name = "ToFloat",
      .map = bind(Poly<Transform>(ValueRange{.key = "x", .vrange = {{0, 1}}})).map,
      .map_batch = bind(Poly<Transform>(ValueRange{.key = "x", .vrange = {{0, 1}}})).map_batch};
  for (int workers : {0, 2}) {
    const Dataset ds = batched(with_step(stream(in_memory(examples)), to_float),
                               {.num_epochs = 40, .batch_size = 128, .num_workers = workers});
    Iterator it = ds.iterate();
    for (int i = 0; i < 20; ++i) it.next();
    const auto before = buffer_stats();
    while (it.next()) {
    }
    EXPECT_LE(buffer_stats().made - before.made, 8);
    EXPECT_GT(buffer_stats().used_again, before.used_again + 100);
  }
}

TEST(Batches, AStateOfAnotherKindIsAnError) {
  Iterator it = make({}).iterate();
  EXPECT_THROW(it.restore("{\"next_batch\": 2}"), konfig::Error);
  EXPECT_THROW(it.restore("{\"next_index\": -1}"), konfig::Error);
  EXPECT_THROW(it.restore("nonsense"), konfig::Error);
}

TEST(Batches, StatesAreFilesByProcess) {
  const base::TempFolder temp("kd_data_state_");
  const auto folder = temp / "made";
  Iterator it = make({}).iterate();
  it.next();
  const Process process{1, 4};
  save_state(it, folder.string(), process);
  EXPECT_TRUE(std::filesystem::exists(folder / "process_1-of-4.json"));
  Iterator other = make({}).iterate();
  restore_state(other, folder.string(), process);
  EXPECT_EQ(other.state(), "{\n    \"next_index\": 3\n}");
  EXPECT_THROW(restore_state(other, folder.string(), Process{0, 4}), konfig::Error);
}

TEST(Batches, SpecAndIndexReadLittle) {
  const Dataset ds = make({.batching = {.num_epochs = {}, .batch_size = 4}});
  EXPECT_EQ(spec_text(ds.element_spec()), "i: int64[4]\n");
  EXPECT_TRUE(ds.is_infinite());
  EXPECT_THROW(ds.size(), konfig::Error);
  const auto first_three = all_of(ds.take(3));
  EXPECT_EQ(numbers_of(ds[2]), first_three[2]);
  const Dataset single = make({.batching = {.num_epochs = 1}});
  EXPECT_EQ(spec_text(single.element_spec()), "i: int64[]\n");
  EXPECT_EQ(single.size(), 10);
  EXPECT_THROW(single[10], konfig::Error);
  EXPECT_THROW(make({.filter = true})[0], konfig::Error);
}

TEST(Batches, TooSmallAnEpochGivesNoBatch) {
  const Dataset ds = make({.n = 2, .batching = {.num_epochs = 1, .batch_size = 3}});
  EXPECT_EQ(ds.size(), 0);
  EXPECT_THAT(all_of(ds), ElementsAre());
  EXPECT_THROW(ds.element_spec(), konfig::Error);
}

TEST(Batches, FiltersThatLeaveNothingAreAnError) {
  StreamPtr s = stream(in_memory(Tree::dict({{"i", at::arange(4, at::kLong)}})));
  s = with_step(s, {.name = "None", .filter = [](const Tree&) { return false; }});
  Iterator it = batched(s, {.num_epochs = {}, .batch_size = 2}).iterate();
  EXPECT_THROW(it.next(), konfig::Error);
}

TEST(Batches, AnErrorNamesThePosition) {
  StreamPtr s = stream(in_memory(Tree::dict({{"i", at::arange(9, at::kLong)}})));
  s = with_step(s, {.name = "my::Step", .map = [](Tree r) {
                      if (r["i"].tensor().item().toLong() == 5) {
                        throw konfig::Error(konfig::ErrorKind::value, "five is too much");
                      }
                      return r;
                    }});
  Iterator it = batched(s, {.num_epochs = 1, .batch_size = 4}).iterate();
  it.next();
  try {
    it.next();
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_STREQ(e.what(), "position 5 of the data: my::Step: five is too much");
  }
}

TEST(Batches, BatchSizesAreSplitEvenly) {
  EXPECT_THROW(make({.batching = {.batch_size = 3}, .process = {0, 2}}), konfig::Error);
  EXPECT_THROW(make({.batching = {.batch_size = -3}}), konfig::Error);
}

// Every size, seed, batch and number of processes: each record once an epoch, by the right process.
TEST(Batches, EveryRecordOnceAnEpochForRandomSettings) {
  Generator rng({5, 0});
  const int cases = std::getenv("KD_TEST_FULL") ? 400 : 40;
  for (int k = 0; k < cases; ++k) {
    const auto n = static_cast<std::int64_t>(1 + rng.integers(70));
    const int count = static_cast<int>(1 + rng.integers(4));
    const auto each = static_cast<std::int64_t>(1 + rng.integers(9));
    const auto epochs = static_cast<std::int64_t>(1 + rng.integers(3));
    const auto seed = static_cast<std::int64_t>(rng.integers(1000));
    std::map<std::int64_t, int> seen;
    for (int index = 0; index < count; ++index) {
      const Process process{index, count};
      const StreamPtr s = ordered(in_memory(Tree::dict({{"i", at::arange(n, at::kLong)}})),
                                  root_key(seed), true, process);
      const Dataset ds = batched(s,
                                 {.num_epochs = epochs,
                                  .batch_size = each * count,
                                  .remainder = Remainder::keep,
                                  .num_workers = static_cast<int>(rng.integers(3))},
                                 process);
      Iterator it = ds.iterate();
      std::int64_t read = 0;
      std::map<std::int64_t, int> in_epoch;
      while (auto batch = it.next()) {
        for (std::int64_t i : numbers_of(*batch)) {
          EXPECT_EQ(i % count, index);
          ++seen[i];
          EXPECT_EQ(in_epoch[i]++, read / std::max<std::int64_t>(s->size(), 1));
          ++read;
        }
        // Anywhere, with any number of workers, it can go on.
        if (rng.integers(4) == 0) {
          const std::string state = it.state();
          it = ds.iterate();
          it.restore(state);
        }
      }
      EXPECT_EQ(read, s->size() * epochs);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(n));
    for (auto& [i, times] : seen) EXPECT_EQ(times, epochs) << i;
  }
}

TEST(Profile, CountsTheStepsOfAPipeline) {
  start_profile();
  all_of(make({.filter = true}));
  std::set<std::string> names;
  for (auto& part : stop_profile()) {
    names.insert(part.name);
    EXPECT_GE(part.seconds, 0);
    EXPECT_GT(part.calls, 0);
  }
  EXPECT_TRUE(names.contains("reading"));
  EXPECT_TRUE(names.contains("Odd"));
  start_profile();
  EXPECT_TRUE(stop_profile().empty());
}

TEST(Dataset, TakeMapAndCache) {
  const Dataset ds = make({});
  const auto all = all_of(ds);
  EXPECT_EQ(all_of(ds.take(2)), std::vector(all.begin(), all.begin() + 2));
  EXPECT_EQ(ds.take(2).size(), 2);
  EXPECT_EQ(ds.take(100).size(), 6);
  int reads = 0;
  const Dataset counted = ds.map([&](Tree batch) {
    ++reads;
    return batch;
  });
  const Dataset cached = counted.cache();
  EXPECT_EQ(all_of(cached), all);
  EXPECT_EQ(all_of(cached), all);
  EXPECT_EQ(reads, 6);
  EXPECT_THROW(make({.batching = {.num_epochs = {}, .batch_size = 3}}).cache(), konfig::Error);
  Iterator it = cached.iterate();
  it.next(), it.next();
  Iterator other = cached.iterate();
  other.restore(it.state());
  EXPECT_EQ(all_of(other), std::vector(all.begin() + 2, all.end()));
}

TEST(Dataset, FilterKeepsSomeAndItsPlace) {
  const auto even = [](const Tree& batch) { return numbers_of(batch)[0] % 2 == 0; };
  const Dataset ds = make({}).filter(even);
  std::vector<Numbers> wanted;
  for (const Numbers& batch : all_of(make({}))) {
    if (batch[0] % 2 == 0) wanted.push_back(batch);
  }
  ASSERT_GT(wanted.size(), 1u);
  EXPECT_EQ(all_of(ds), wanted);
  EXPECT_EQ(ds.size(), 6);  // at most
  Iterator it = ds.iterate();
  it.next();
  Iterator other = ds.iterate();
  other.restore(it.state());
  EXPECT_EQ(all_of(other), std::vector(wanted.begin() + 1, wanted.end()));
}

TEST(Dataset, TakeRemembersHowManyWereTaken) {
  const Dataset ds = make({}).take(4);
  Iterator it = ds.iterate();
  it.next(), it.next(), it.next();
  Iterator other = ds.iterate();
  other.restore(it.state());
  EXPECT_EQ(all_of(other).size(), 1u);
}

TEST(Dataset, ZipEndsWithTheShortest) {
  const Dataset ds = zip({{"a", make({}).take(3)}, {"b", make({.shuffle = false})}});
  EXPECT_EQ(ds.size(), 3);
  std::size_t n = 0;
  for (const Tree& batch : ds) {
    EXPECT_EQ(batch["a"]["i"].tensor().size(0), 3);
    EXPECT_EQ(batch["b"]["i"].tensor().size(0), 3);
    ++n;
  }
  EXPECT_EQ(n, 3u);
  EXPECT_EQ(spec_text(ds.element_spec()), "a.i: int64[3]\nb.i: int64[3]\n");
}

TEST(Dataset, DevicePutNarrowsAsJaxDoes) {
  const Tree batch = *make({}).device_put().iterate().next();
  EXPECT_EQ(batch["i"].tensor().scalar_type(), at::kInt);
}

TEST(Stack, RecordsMustBeAlike) {
  auto record = [](std::int64_t n) {
    return Tree::dict({{"x", Tree::dict({{"y", at::zeros({n})}})}});
  };
  const Tree same[] = {record(2), record(2)};
  EXPECT_EQ(stack(same)["x"]["y"].tensor().sizes(), (at::IntArrayRef{2, 2}));
  const Tree other[] = {record(2), record(3)};
  try {
    stack(other);
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("x.y: records of a batch are alike, but number 0 has float32[2] "
                          "and number 1 has float32[3]"));
  }
  const Tree missing[] = {record(2), Tree::dict({{"z", at::zeros({2})}})};
  EXPECT_THROW(stack(missing), konfig::Error);
}

TEST(Stack, TextsBecomeAList) {
  const Tree records[] = {Tree::dict({{"t", Tree(Tree::Texts{"a"})}}),
                          Tree::dict({{"t", Tree(Tree::Texts{"b"})}})};
  EXPECT_THAT(stack(records)["t"].texts(), ElementsAre("a", "b"));
  EXPECT_THAT(pad_rows(stack(records), 3)["t"].texts(), ElementsAre("a", "b", ""));
}

TEST(Rows, MustBeEquallyMany) {
  const Tree bad = Tree::dict({{"a", at::zeros({3})}, {"b", at::zeros({4})}});
  try {
    in_memory(bad);
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("'a' has 3 and 'b' has 4"));
  }
}

}  // namespace
}  // namespace kd::data
