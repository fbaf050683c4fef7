// The code of docs/losses_metrics.md: it stands here word for word, and is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "kd/losses/losses.h"
#include "kd/losses/test_tools_test.h"
#include "kd/metrics/stats.h"
#include "kd/metrics/wrappers.h"
#include "test_paths.h"

// clang-format off
#include "kd/losses/engine/loss.h"
using namespace kd;

// The fourth power of the error.
struct L4 {
  Key preds = Key::required();    // what the model says
  Key targets = Key::required();  // what it should say
  std::optional<Key> mask = {};   // weights of the elements; all 1 when absent
  Schedule weight = 1.0;          // factor of the loss in the total
  Float<"*a"> get_values(Float<"*a"> preds, Float<"*a"> targets) const {
    return (preds - targets).pow(4);
  }
};
KD_COMPONENT(kd::Loss, L4);
// clang-format on

#include "kd/metrics/engine/metric.h"

// How bright images are.
struct Brightness {
  Key image = Key::required();   // values in [0, 1]
  std::optional<Key> mask = {};  // weights of the images; all 1 when absent
  metrics::AverageState get_state(Float<"*b h w c"> image, std::optional<Array<"*b">> mask) const {
    return metrics::AverageState::from_values(image.mean({-3, -2, -1}), mask);
  }
};
KD_COMPONENT(kd::Metric, Brightness);

struct RangeState {
  metrics::MinField lowest;
  metrics::MaxField highest;
  Tensor compute() const { return highest.tensor() - lowest.tensor(); }
};

// The largest value minus the smallest one, of all batches.
struct Range {
  Key tensor = Key::required();  // what is measured
  RangeState get_state(Float<"..."> tensor) const {
    return {.lowest = tensor.min(), .highest = tensor.max()};
  }
};
KD_COMPONENT(kd::Metric, Range);

namespace kd::losses {
namespace {

std::string read(const std::string& path) {
  return base::read_file(std::string(KD_SOURCE_DIR) + "/" + path);
}

// The blocks of the page that define something are in this file as they are.
TEST(Guide, PageIsThisFile) {
  std::string page = read("docs/losses_metrics.md"), source = read("kd/losses/guide_test.cc");
  std::string open = "```cpp\n", close = "```\n";
  int found = 0;
  for (auto at = page.find(open); at != page.npos; at = page.find(open, at + 1)) {
    std::string block = page.substr(at + open.size(), page.find(close, at + 3) - at - open.size());
    if (block.find("KD_COMPONENT") == block.npos) continue;
    EXPECT_NE(source.find(block), source.npos) << block;
    ++found;
  }
  EXPECT_EQ(found, 3);
}

TEST(Guide, OwnLoss) {
  Tree context = context_of(at::tensor({1.f, 3.f}), at::tensor({0.f, 1.f}));
  Poly<Loss> loss = L4{.preds = "preds.x", .targets = "batch.y", .weight = 2};
  EXPECT_EQ(number(loss(context)), 17);
  EXPECT_THAT(error_of([&] {
                loss(context_of(at::tensor({1.f}), at::tensor({1.f, 2.f})));
              }),
              ::testing::HasSubstr("L4"));
}

TEST(Guide, OwnMetrics) {
  Tensor images = at::tensor({0.f, 1.f, 1.f, 1.f}).view({2, 2, 1, 1});
  Tree context = Tree::dict({{"image", images}, {"mask", at::tensor({1.f, 0.f})}});
  EXPECT_EQ(number(Poly<Metric>(Brightness{.image = "image"})(context).tensor()), 0.75);
  EXPECT_EQ(number(Poly<Metric>(Brightness{.image = "image", .mask = "mask"})(context).tensor()),
            0.5);
  Poly<Metric> range = Range{.tensor = "image"};
  metrics::State state = metrics::get_state(range, context);
  state = std::move(state).merge(metrics::get_state(range, {{"tensor", images * 3}}));
  EXPECT_EQ(number(state.finalize().compute().tensor()), 3);
}

TEST(Guide, Using) {
  Tree context = Tree::dict({{"step", at::tensor(0)},
                             {"preds", Tree::dict({{"image", at::tensor({1.f, 2.f})},
                                                   {"logits", at::tensor({1.f, 2.f})}})},
                             {"batch", Tree::dict({{"image", at::tensor({0.f, 0.f})}})}});
  Map<Poly<Loss>> train_losses;
  train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
  train_losses["small"] = losses::AbsoluteValue{.values = "preds.logits", .weight = 0.1};
  auto [total, states] = losses::compute_losses(train_losses, context);
  EXPECT_NEAR(number(total), 2.65, 1e-6);
  EXPECT_EQ(states[0].first, "recon");

  Poly<Metric> norms = metrics::TreeMap{.metric = metrics::Norm{.tensor = "preds.**.logits"}};
  Tree value = norms(context);
  EXPECT_NEAR(number(value["logits"].tensor()), std::sqrt(5), 1e-6);
}

}  // namespace
}  // namespace kd::losses
