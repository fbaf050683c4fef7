// Values of other runs in the state that a run starts with.
#include "kd/ckpts/checkpoints_test.h"
#include "kd/ckpts/engine/init_transform.h"
#include "kd/core/ops.h"
#include "kd/optim/combine.h"

namespace kd::ckpts {
namespace {

class Loaders : public Checkpoints {
 protected:
  static Tree scalar(double x) { return Tree(at::full({}, x, at::kFloat)); }
  PartialKauldronLoader loader(Map<std::string> new_to_old) const {
    return {.workdir = workdir_.string(), .new_to_old = std::move(new_to_old)};
  }
};

TEST_F(Loaders, MappedSubtreesOnly) {
  save(5, state(5));
  Tree fresh = state(0);
  fresh["params"] = Tree::dict({{"model", state(0)["params"]}, {"head", scalar(1)}});
  const Poly<InitTransform> t = loader({{"params.model", "params"}});
  const Tree out = transform(t, fresh);
  EXPECT_EQ(number(out["params"]["model"]["dense"]["kernel"]), 5);
  EXPECT_EQ(number(out["params"]["head"]), 1);
  EXPECT_EQ(number(out["step"]), 0);
  EXPECT_EQ(number(fresh["params"]["model"]["dense"]["kernel"]), 0);  // its tensors are untouched
}

TEST_F(Loaders, PhasesOfTheOptimizer) {
  save(5, state(5));
  const Poly<InitTransform> t =
      loader({{"step", "step"}, {"params", "params"}, {"opt_state[0].nu", "opt_state[0].nu"}});
  Tree before = transform(t, state(0));
  EXPECT_EQ(number(before["step"]), 5);
  EXPECT_EQ(before["step"].tensor().scalar_type(), at::kInt);
  EXPECT_EQ(number(before["params"]["dense"]["kernel"]), 5);
  EXPECT_EQ(number(before["opt_state"].child(0)["nu"]), 0);
  const Tree after = transform_after_optimizer(t, state(0));
  EXPECT_EQ(number(after["params"]["dense"]["kernel"]), 0);
  EXPECT_EQ(number(after["opt_state"].child(0)["nu"]), 5);
  EXPECT_EQ(number(after["opt_state"].child(0)["count"]), 0);
}

TEST_F(Loaders, IgnoredKeys) {
  save(1, Tree::dict({{"params", Tree::dict({{"a", scalar(10)}, {"b", scalar(20)}})}}));
  const Tree fresh = Tree::dict({{"params", Tree::dict({{"a", scalar(1)}, {"c", scalar(3)}})}});
  PartialKauldronLoader t = loader({{"params", "params"}});
  EXPECT_THAT(error_of([&] { t.transform(fresh); }),
              AllOf(HasSubstr("not in the checkpoint: 'c' (ignore_model_keys allows it)"),
                    HasSubstr("only in the checkpoint: 'b' (ignore_restored_keys allows it)")));
  t.ignore_model_keys = {"**.c"};
  EXPECT_THAT(error_of([&] { t.transform(fresh); }), HasSubstr("only in the checkpoint: 'b'"));
  t.ignore_restored_keys = {"**.b"};
  const Tree out = t.transform(fresh);
  EXPECT_EQ(number(out["params"]["a"]), 10);
  EXPECT_EQ(number(out["params"]["c"]), 3);
  EXPECT_FALSE(out["params"].contains("b"));
}

TEST_F(Loaders, WrongPlacesAndShapesAreNamed) {
  save(5, state(5));
  EXPECT_THAT(error_of([&] {
                loader({{"parms", "params"}}).transform(state(0));
              }),
              AllOf(HasSubstr("'parms' is not in the state"), HasSubstr("mean 'params'")));
  EXPECT_THAT(error_of([&] {
                loader({{"params", "params.x"}}).transform(state(0));
              }),
              HasSubstr("'params.x' is not in the checkpoint: there is no 'x'; there are: dense"));
  Tree other = state(0);
  other["params"]["dense"]["kernel"] = Tree(at::zeros({2, 2}));
  EXPECT_THAT(error_of([&] {
                loader({{"params", "params"}}).transform(other);
              }),
              HasSubstr("params.dense.kernel: the shape is (2, 2), that of the checkpoint's "
                        "'params.dense.kernel' is (3, 4)"));
}

TEST_F(Loaders, SimpleAndSeveral) {
  save(5, state(5));
  save(8, state(8));
  const SimpleCheckpointLoader simple{.workdir = workdir_.string(), .step = 5};
  EXPECT_EQ(number(simple.transform(state(0))["params"]["dense"]["kernel"]), 5);
  EXPECT_EQ(number(simple.transform(state(0))["step"]), 0);
  EXPECT_EQ(number(simple.transform_after_optimizer(state(0))["opt_state"].child(0)["nu"]), 0);
  SimpleCheckpointLoader with_optimizer = simple;
  with_optimizer.load_opt_state = true;
  EXPECT_EQ(number(with_optimizer.transform_after_optimizer(state(0))["opt_state"].child(0)["nu"]),
            5);

  MultiTransform several;
  several.transforms["simple"] = simple;
  several.transforms["step"] = loader({{"step", "step"}});
  several.transforms["none"] = NoopTransform{};
  const Tree out = transform(several, state(0));
  EXPECT_EQ(number(out["params"]["dense"]["kernel"]), 5);
  EXPECT_EQ(number(out["step"]), 8);
  EXPECT_THAT(error_of([&] { transform(PartialCLULoader{.ckpt_dir = "x"}, state(0)); }),
              HasSubstr("kd ckpt import"));
  several.transforms["bad"] = loader({{"x", "y"}});
  EXPECT_THAT(error_of([&] { transform(several, state(0)); }), HasSubstr("bad: "));
}

TEST(InitTransforms, AveragesInPlaceOfParameters) {
  const Tree averages = Tree::dict({{"w", Tree(at::full({}, 2.0))}});
  const Tree state = Tree::dict(
      {{"params", Tree::dict({{"w", Tree(at::full({}, 1.0))}})},
       {"opt_state", Tree::list({Tree::record("EmaParamsState", {{"ema_params", averages}})})}});
  EXPECT_EQ(number(transform(optim::UseEmaParams{}, state)["params"]["w"]), 2);
  EXPECT_EQ(number(transform(Poly<InitTransform>(), state)["params"]["w"]), 1);
}

}  // namespace
}  // namespace kd::ckpts
