#include "kd/problems/passes.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>

#include <atomic>
#include <set>

#include "kd/data/engine/dataset.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/problems/experiments_test.h"

namespace passes_test {

using namespace kd;

std::atomic<int> reads = 0;

// Images whose pixels are the number of the record.
struct Numbered {
  int n = 10;
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    ++reads;
    return Tree::dict({{"image", at::full({4, 4, 1}, i, at::kByte)},
                       {"label", at::full({}, i, at::kLong)},
                       {"id", at::full({}, -i, at::kLong)}});
  }
};

}  // namespace passes_test

KD_COMPONENT(kd::Source, passes_test::Numbered);

namespace kd::problems {
namespace {

using passes_test::Numbered;
using Labels = std::vector<std::int64_t>;

Labels labels_of(const Tree& batch) {
  const Tensor labels = batch.at("label").tensor().contiguous();
  const auto* first = labels.const_data_ptr<std::int64_t>();
  return {first, first + labels.numel()};
}

data::Dataset opened(const Passes& passes) { return data::open(Poly<Pipeline>(passes)); }

std::vector<Labels> first_batches(const Passes& passes, int n) {
  auto batches = opened(passes).iterate();
  std::vector<Labels> out;
  for (int i = 0; i < n; ++i) out.push_back(labels_of(*batches.next()));
  return out;
}

TEST(Passes, EndWithASmallerBatchAndBeginAnew) {
  const Passes passes{.source = Numbered{}, .batch_size = 4};
  EXPECT_EQ(opened(passes).impl()->pass_size(), 3);
  EXPECT_EQ(first_batches(passes, 4),
            (std::vector<Labels>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}, {0, 1, 2, 3}}));
}

TEST(Passes, AreSpannedWhenTheyRepeat) {
  const Passes passes{.source = Numbered{}, .repeat = true, .batch_size = 4};
  EXPECT_EQ(opened(passes).impl()->pass_size(), std::nullopt);
  EXPECT_EQ(first_batches(passes, 6)[2], (Labels{8, 9, 0, 1}));
  EXPECT_EQ(first_batches(passes, 6)[5], (Labels{0, 1, 2, 3}));
}

// The first ones are taken before they are shuffled.
TEST(Passes, AreShuffledEachInAnotherOrder) {
  const Passes passes{.source = Numbered{}, .take = 8, .shuffle = true, .batch_size = 8, .seed = 3};
  const auto batches = first_batches(passes, 3);
  for (const Labels& labels : batches) {
    EXPECT_EQ(std::set(labels.begin(), labels.end()),
              (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  }
  EXPECT_NE(batches[0], batches[1]);
  EXPECT_EQ(batches, first_batches(passes, 3));
}

TEST(Passes, ReadEachRecordOnceWhenCached) {
  passes_test::reads = 0;
  first_batches({.source = Numbered{}, .cache = true, .batch_size = 10}, 5);
  EXPECT_EQ(passes_test::reads, 10);
}

TEST(Passes, GoOnWhereTheyWere) {
  const Passes passes{.source = Numbered{}, .shuffle = true, .batch_size = 4, .seed = 1};
  const auto dataset = opened(passes);
  auto one = dataset.iterate();
  for (int i = 0; i < 4; ++i) one.next();
  auto other = dataset.iterate();
  other.restore(one.state_value());
  EXPECT_EQ(labels_of(*one.next()), labels_of(*other.next()));
}

TEST(Passes, PrepareImages) {
  const Passes passes{.source = Numbered{},
                      .batch_size = 3,
                      .size = {2, 8},
                      .dtype = DType::float32,
                      .elements = {"image"}};
  const Tree batch = *opened(passes).iterate().next();
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_EQ(batch.at("image").tensor().sizes(), (std::vector<std::int64_t>{3, 2, 8, 1}));
  EXPECT_EQ(batch.at("image").tensor()[2].max().item<float>(), 2);
  Passes wrong = passes;
  wrong.elements = {"image", "mask"};
  EXPECT_THAT(error_of([&] { opened(wrong).iterate().next(); }),
              AllOf(HasSubstr("no 'mask'"), HasSubstr("id, image, label")));
  wrong = passes;
  wrong.batch_size = 0;
  EXPECT_THAT(error_of([&] { opened(wrong); }), HasSubstr("batch_size"));
}

}  // namespace
}  // namespace kd::problems
