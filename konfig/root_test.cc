#include "konfig/root.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/toy_test.h"

namespace root_test {
using namespace konfig;

struct Part;
// Has an Inherit of its own and may be shared.
struct Widget {
  Inherit<int, "settings.size"> size = inherit;
  Poly<Part> inner;
};
struct Settings {
  Required<int> size;
};
struct Root {
  static constexpr bool konfig_is_root = true;
  Settings settings = {.size = 1};
  Poly<Part> first;
  Poly<Part> second;
  std::vector<std::optional<Widget>> list;
  std::optional<int> unset;
};
struct Wrong {
  Inherit<int, "settings.sise"> size = inherit;
};
struct WrongRoot {
  Settings settings = {.size = 1};
  Wrong wrong = {};
};
struct NoValue {
  Inherit<int, "unset"> size = inherit;
};
struct NoValueRoot {
  std::optional<int> unset;
  NoValue part = {};
};
}  // namespace root_test

KONFIG_LOCAL_COMPONENT(root_test::Part, root_test::Widget);
KONFIG_REGISTER(root_test::Root);

namespace root_test {
namespace {

TEST(Inherit, NotSetEmptyAndGiven) {
  using Sizes = Inherit<std::vector<int>, "sizes">;
  Sizes unset = inherit;
  EXPECT_FALSE(unset.has_value());
  expect_error(ErrorKind::value, {"\"sizes\""}, [&] { unset.value(); });
  Sizes empty = {};
  EXPECT_TRUE(empty.is_given());
  EXPECT_TRUE(empty->empty());
  Sizes given = {1, 2};
  EXPECT_EQ(given->size(), 2u);
  given = inherit;
  EXPECT_FALSE(given.has_value());
  given = {};
  EXPECT_TRUE(given.is_given());
  Inherit<int, "n"> number = {};
  EXPECT_EQ(*number, 0);
  number = 3;
  EXPECT_EQ(number + 1, 4);
  Inherit<Map<int>, "m"> map = inherit;
  map["a"] = 1;
  EXPECT_EQ(map->at("a"), 1);
  Inherit<Map<int>, "m"> listed = {{"x", 1}, {"y", 2}};
  EXPECT_EQ(listed->size(), 2u);
}

TEST(Root, FillsEverywhereAndRefreshesOnlyWhatItFilled) {
  Root root;
  root.settings.size = 4;
  root.first = Widget{.inner = Widget{}};
  root.second = Widget{.size = 9, .inner = {}};
  root.list = {Widget{}, std::nullopt};
  auto full = with_root_values(root);
  auto size = [](const Poly<Part>& p) { return *p.as<Widget>().size; };
  EXPECT_EQ(size(full.first), 4);
  EXPECT_EQ(size(full.first.as<Widget>().inner), 4);
  EXPECT_EQ(size(full.second), 9);
  EXPECT_EQ(*full.list[0]->size, 4);
  EXPECT_FALSE(root.list[0]->size.has_value());  // the original is as it was

  full.settings.size = 5;
  full.list[0]->size = 6;  // by hand: its own from now on
  auto again = with_root_values(full);
  EXPECT_EQ(size(again.first), 5);
  EXPECT_EQ(size(again.first.as<Widget>().inner), 5);
  EXPECT_EQ(size(again.second), 9);
  EXPECT_EQ(*again.list[0]->size, 6);
  EXPECT_EQ(size(full.first), 4);
}

TEST(Root, SharedStaysShared) {
  Config<Root> cfg;
  auto widget = node(Widget{});
  cfg.first = widget;
  cfg.second = widget;
  auto root = resolve<Root>(lower(cfg));
  EXPECT_TRUE(root->first.same(root->second));
  EXPECT_EQ(*root->first.as<Widget>().size, 1);
  auto copy = with_root_values(*root);
  EXPECT_TRUE(copy.first.same(copy.second));
}

TEST(Root, FilledValuesAreTheRootsOwnObjects) {
  using namespace toy;
  Config<Trainer> cfg;
  cfg.seed = 5;
  cfg.train_ds = Tfds{.name = "m"};
  cfg.train_losses["recon"] = L2{.preds = "p"};
  cfg.evals["eval"] = Evaluator{};
  auto data = lower(cfg);
  EXPECT_EQ(to_json(data["evals"].get()), R"({"eval": {"__qualname__": "toy:Evaluator"}})");
  auto trainer = resolve<Trainer>(data);
  auto& eval = trainer->evals.at("eval");
  EXPECT_EQ(*eval.seed, 5);
  EXPECT_TRUE(eval.ds->same(trainer->train_ds));
  EXPECT_TRUE(eval.losses->at("recon").same(trainer->train_losses.at("recon")));
  // Lowering the object again leaves filled fields out.
  EXPECT_EQ(to_json(lower(*trainer)), to_json(data));
}

TEST(Root, MissingValuesAreErrors) {
  expect_error(ErrorKind::key, {"Cannot resolve root_test::Wrong.size = root.settings.sise"},
               [] { with_root_values(WrongRoot{}); });
  expect_error(ErrorKind::type, {"Cannot resolve root_test::NoValue.size", "not set"},
               [] { with_root_values(NoValueRoot{}); });
}

}  // namespace
}  // namespace root_test
