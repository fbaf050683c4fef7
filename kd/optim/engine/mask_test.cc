#include "kd/optim/engine/mask.h"

#include "kd/optim/components.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/trees_test.h"
#include "konfig/register.h"

namespace my {

struct Short {
  std::size_t length = 6;
  bool operator()(const std::string& path) const { return path.size() < length; }
};

// Looks at all paths together.
struct Last {
  std::vector<bool> select(const std::vector<std::string>& paths) const {
    std::vector<bool> out(paths.size(), false);
    if (!out.empty()) out.back() = true;
    return out;
  }
};

struct ByName {
  std::string operator()(const std::string& path) const {
    return path.ends_with("kernel") ? "fast" : "slow";
  }
};

}  // namespace my

KD_COMPONENT(kd::MaskFn, my::Short);
KD_COMPONENT(kd::MaskFn, my::Last);
KD_COMPONENT(kd::LabelFn, my::ByName);

namespace kd::optim {
namespace {

using konfig::Dict;
using konfig::List;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> selected(const Mask& mask, const Tree& tree = random_tree()) {
  const auto paths = dotted_paths(tree);
  const auto marks = flatten(marks_of(mask, tree), tree);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (marks[i]) out.push_back(paths[i]);
  }
  return out;
}

TEST(Mask, ByPath) {
  EXPECT_THAT(selected(Select{"kernel"}), ElementsAre("encoder.kernel", "heads.0.kernel"));
  EXPECT_THAT(selected(Select{"heads.0"}), ElementsAre("heads.0.kernel"));
  EXPECT_THAT(selected(Select{"head"}), ElementsAre());
  EXPECT_THAT(selected(Select{std::vector<std::string>{"scale", "heads.1"}}),
              ElementsAre("heads.1.bias", "scale"));
  EXPECT_THAT(selected(Select{"(encoder|heads.[01]).bias"}),
              ElementsAre("encoder.bias", "heads.1.bias"));
  EXPECT_THAT(selected(Exclude{"encoder"}), ElementsAre("heads.0.kernel", "heads.1.bias", "scale"));
  EXPECT_THAT(selected(my::Short{}), ElementsAre("scale"));
  EXPECT_THAT(selected(my::Last{}), ElementsAre("scale"));
  EXPECT_THAT(Select{"kernel"}.select({"a.kernel", "a.bias"}), ElementsAre(true, false));
}

TEST(Mask, WrittenOut) {
  EXPECT_EQ(selected(true).size(), 5u);
  EXPECT_EQ(selected(false).size(), 0u);
  EXPECT_THAT(
      selected(
          Dict{{"encoder", true}, {"heads", List{false, Dict{{"bias", true}}}}, {"scale", false}}),
      ElementsAre("encoder.bias", "encoder.kernel", "heads.1.bias"));
}

TEST(Mask, Errors) {
  const Tree tree = random_tree();
  auto fails = [&](const Mask& mask) { return error_of([&] { marks_of(mask, tree); }); };
  EXPECT_THAT(fails(Dict{{"encoder", true}, {"heads", true}}),
              HasSubstr("nothing is said about 'scale'"));
  EXPECT_THAT(fails(Dict{{"encoder", true}, {"heads", true}, {"scale", true}, {"x", true}}),
              HasSubstr("no parameter \"x\""));
  EXPECT_THAT(
      fails(Dict{
          {"encoder", Dict{{"kernel", 1.5}, {"bias", true}}}, {"heads", true}, {"scale", true}}),
      AllOf(HasSubstr("encoder.kernel"), HasSubstr("1.5")));
  EXPECT_THAT(fails(Dict{{"encoder", true}, {"heads", List{true}}, {"scale", true}}),
              AllOf(HasSubstr("heads"), HasSubstr("expected 2 items, got 1")));
  EXPECT_THAT(fails(Select{"(kernel"}), AllOf(HasSubstr("pattern"), HasSubstr("(kernel")));
  EXPECT_THAT(fails(Mask()), HasSubstr("expected a mask, got None"));
}

TEST(Mask, LeavesOutsideKeepTheirGradients) {
  const Tree params = random_tree(), grads = random_tree(3);
  const Poly<Optimizer> masked =
      Masked{.inner = Sgd{.learning_rate = 0.5, .momentum = 0.9}, .mask = Select{"encoder"}};
  const Tree state = init(masked, params);
  const Update next = update(masked, grads, state, params);
  EXPECT_TRUE(at::equal(next.updates["scale"].tensor(), grads["scale"].tensor()));
  EXPECT_TRUE(at::equal(next.updates["encoder"]["bias"].tensor(),
                        grads["encoder"]["bias"].tensor() * -0.5));
  const Tree& trace = next.state["inner_state"].child(0)["trace"];
  EXPECT_EQ(trace["scale"].type(), "MaskedNode");
  EXPECT_EQ(leaves(trace).size(), 2u);
}

TEST(Mask, PartitionByAFunction) {
  const Tree params = random_tree(), grads = random_tree(3);
  const Poly<Optimizer> parts = Partition{
      .transforms = {{"fast", Scale{10.0}}, {"slow", Scale{0.5}}}, .param_labels = my::ByName{}};
  const Update next = update(parts, grads, init(parts, params), params);
  EXPECT_TRUE(at::equal(next.updates["encoder"]["kernel"].tensor(),
                        grads["encoder"]["kernel"].tensor() * 10));
  EXPECT_TRUE(at::equal(next.updates["scale"].tensor(), grads["scale"].tensor() * 0.5));
}

TEST(Mask, UnknownLabel) {
  const Poly<Optimizer> parts = Partition{
      .transforms = {{"fast", Identity{}}, {"other", Identity{}}}, .param_labels = my::ByName{}};
  EXPECT_THAT(error_of([&] { init(parts, random_tree()); }),
              AllOf(HasSubstr("'slow' has no transformation"), HasSubstr("'fast', 'other'")));
}

TEST(Mask, FrozenLeavesHaveNoStateAndDoNotMove) {
  const Tree params = random_tree(), grads = random_tree(3);
  const Poly<Optimizer> partial =
      PartialUpdates{.optimizer = Adam{.learning_rate = 0.1}, .mask = Select{"kernel"}};
  const Tree state = init(partial, params);
  EXPECT_EQ(leaves(state).size(), 1u + 2 * 2);  // a counter, and two moments of two kernels
  const Update next = update(partial, grads, state, params);
  EXPECT_TRUE((next.updates["scale"].tensor() == 0).all().item<bool>());
  EXPECT_TRUE((next.updates["encoder"]["kernel"].tensor() != 0).all().item<bool>());
  const Poly<Optimizer> selective =
      SelectiveTransform{.optimizer = Adam{.learning_rate = 0.1}, .freeze_mask = Exclude{"kernel"}};
  EXPECT_EQ(bit_difference(update(selective, grads, state, params).updates, next.updates), "");
}

}  // namespace
}  // namespace kd::optim
