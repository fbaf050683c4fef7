#include "kd/optim/engine/stepper.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/core/CPUAllocator.h>

#include "kd/optim/components.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/reduce_impl.h"
#include "kd/optim/trees_test.h"

namespace kd::optim {
namespace {

// Large enough for several blocks of a fused step, and for pieces of every size.
Tree large_tree(std::uint64_t salt = 0) {
  Tree out = random_tree(salt, 5000);
  out["large"] = at::randn({32001});
  out["none"] = at::randn({0, 3});
  out["one"] = at::randn({1});
  return out;
}

struct NamedOptimizer {
  std::string name;
  Poly<Optimizer> optimizer;
};

Poly<ScheduleFn> warmup() {
  return WarmupCosineDecay{.peak_value = 0.1, .warmup_steps = 2, .decay_steps = 9};
}

// All of these run fused.
std::vector<NamedOptimizer> fused_optimizers() {
  const Mask kernels = Select{"kernel"};
  return {
      {"sgd", Sgd{.learning_rate = 0.1}},
      {"momentum", Sgd{.learning_rate = warmup(), .momentum = 0.9}},
      {"nesterov", Sgd{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true}},
      {"adam", Adam{.learning_rate = 0.1}},
      {"adam_root", Adam{.learning_rate = 0.1, .eps_root = 1e-3}},
      {"nadam", NAdam{.learning_rate = warmup()}},
      {"adamw", AdamW{.learning_rate = 0.1, .weight_decay = 0.1}},
      {"adamw_mask", AdamW{.learning_rate = 0.1, .weight_decay = 0.1, .mask = kernels}},
      {"adamw_schedules", AdamW{.learning_rate = warmup(), .weight_decay = warmup()}},
      {"lion", Lion{.learning_rate = 0.1}},
      {"rmsprop", RmsProp{.learning_rate = 0.1, .momentum = 0.9}},
      {"rmsprop_outside", RmsProp{.learning_rate = 0.1, .eps_in_sqrt = false}},
      {"signum", Signum{.learning_rate = 0.1}},
      {"ema", Chain{{Ema{.decay = 0.9}, Scale{-0.1}}}},
      {"clip", Chain{{Clip{0.5}, Adam{.learning_rate = 0.1}}}},
      {"clip_norm", Chain{{ClipByGlobalNorm{1.0}, AdamW{.learning_rate = warmup()}}}},
      {"clip_norm_loose", Chain{{ClipByGlobalNorm{1e9}, Sgd{.learning_rate = 0.1}}}},
      {"named", NamedChain{{{"z", ClipByGlobalNorm{1.0}},
                            {"a", Adam{.learning_rate = 0.1}},
                            {"ema", EmaParams{.decay = 0.9}}}}},
      {"decay_to_init",
       Chain{{DecayToInit{.weight_decay = 0.1, .mask = kernels}, Sgd{.learning_rate = 0.1}}}},
      {"partial", PartialUpdates{.optimizer = AdamW{.learning_rate = 0.1}, .mask = kernels}},
      {"nested", Masked{.inner = PartialUpdates{.optimizer = Adam{.learning_rate = 0.1},
                                                .mask = Exclude{"bias"}},
                        .mask = Select{"encoder"}}},
      {"freeze", Chain{{Sgd{.learning_rate = 0.1}, Freeze{.mask = kernels}}}},
      {"selective",
       SelectiveTransform{.optimizer = Adam{.learning_rate = 0.1}, .freeze_mask = kernels}},
      {"partition", Partition{.transforms = {{"x", Adam{.learning_rate = 0.1}},
                                             {"y", Sgd{.learning_rate = 0.1, .momentum = 0.9}}},
                              .param_labels = konfig::Dict{{"encoder", "x"},
                                                           {"heads", "y"},
                                                           {"large", "x"},
                                                           {"none", "y"},
                                                           {"one", "y"},
                                                           {"scale", "x"}}}},
  };
}

TEST(Stepper, FusedGivesTheBitsOfThePlainWay) {
  for (auto& [name, optimizer] : fused_optimizers()) {
    at::manual_seed(1);
    Tree params = large_tree();
    Tree plain_params = copy_of(params);
    Stepper stepper(optimizer);
    Tree state = stepper.init(params), plain_state = stepper.init(params);
    for (int i = 0; i < 5; ++i) {
      const Tree grads = large_tree(i);
      stepper.step(params, grads, state);
      ASSERT_TRUE(stepper.last_was_fused()) << name;
      stepper.step_plain(plain_params, grads, plain_state);
      ASSERT_EQ(bit_difference(params, plain_params), "") << name << ", step " << i;
      ASSERT_EQ(bit_difference(state, plain_state), "") << name << ", step " << i;
    }
  }
}

TEST(Stepper, ThreadsChangeNothing) {
  const int before = at::get_num_threads();
  for (auto& [name, optimizer] : fused_optimizers()) {
    std::vector<Tree> results;
    for (int threads : {1, 2}) {
      at::set_num_threads(threads);
      at::manual_seed(1);
      Tree params = large_tree();
      Stepper stepper(optimizer);
      Tree state = stepper.init(params);
      for (int i = 0; i < 3; ++i) stepper.step(params, large_tree(i), state);
      results.push_back(params);
    }
    EXPECT_EQ(bit_difference(results[0], results[1]), "") << name;
  }
  at::set_num_threads(before);
}

TEST(Stepper, WritesInPlace) {
  Tree params = large_tree();
  const Tree shared = params;
  Stepper stepper(Adam{.learning_rate = 0.1});
  Tree state = stepper.init(params);
  const float* where = params["large"].tensor().const_data_ptr<float>();
  const Tree before = copy_of(params);
  stepper.step(params, large_tree(1), state);
  EXPECT_EQ(params["large"].tensor().const_data_ptr<float>(), where);
  EXPECT_EQ(bit_difference(params, shared), "");
  EXPECT_NE(bit_difference(params, before), "");
}

TEST(Stepper, OthersRunThePlainWay) {
  for (const Poly<Optimizer>& optimizer : std::vector<Poly<Optimizer>>{
           Lamb{.learning_rate = 0.1}, Adafactor{.learning_rate = 0.1},
           Adam{.learning_rate = 0.1, .mu_dtype = DType::bfloat16},
           Chain{{Adam{.learning_rate = 0.1}, ClipByGlobalNorm{1.0}}},
           MultiSteps{.opt = Adam{.learning_rate = 0.1}, .every_k_schedule = 2}}) {
    at::manual_seed(1);
    Tree params = random_tree();
    Tree pure = copy_of(params);
    Stepper stepper(optimizer);
    Tree state = stepper.init(params), pure_state = init(optimizer, pure);
    for (int i = 0; i < 4; ++i) {
      const Tree grads = random_tree(i);
      stepper.step(params, grads, state);
      EXPECT_FALSE(stepper.last_was_fused()) << optimizer.type()->name;
      Update next = update(optimizer, grads, pure_state, pure);
      pure = apply_updates(pure, next.updates);
      pure_state = next.state;
    }
    EXPECT_EQ(bit_difference(params, pure), "") << optimizer.type()->name;
    EXPECT_EQ(bit_difference(state, pure_state), "") << optimizer.type()->name;
  }
}

TEST(Stepper, HalfPrecisionRunsThePlainWay) {
  Tree params = Tree::dict({{"w", at::randn({9}).to(at::kBFloat16)}});
  Tree pure = copy_of(params);
  const Tree grads = Tree::dict({{"w", at::randn({9}).to(at::kBFloat16)}});
  const Poly<Optimizer> adamw = AdamW{.learning_rate = warmup(), .weight_decay = warmup()};
  Stepper stepper(adamw);
  Tree state = stepper.init(params), pure_state = init(adamw, pure);
  for (int i = 0; i < 3; ++i) {
    stepper.step(params, grads, state);
    Update next = update(adamw, grads, pure_state, pure);
    pure = apply_updates(pure, next.updates);
    pure_state = next.state;
  }
  EXPECT_FALSE(stepper.last_was_fused());
  EXPECT_EQ(bit_difference(params, pure), "");
}

TEST(Stepper, GradientsMayBeLaidOutDifferently) {
  Tree params = Tree::dict({{"w", at::randn({40, 30})}});
  Tree plain_params = copy_of(params);
  const Tree grads = Tree::dict({{"w", at::randn({30, 40}).t()}});
  Stepper stepper(Adam{.learning_rate = 0.1});
  Tree state = stepper.init(params), plain_state = stepper.init(params);
  stepper.step(params, grads, state);
  EXPECT_TRUE(stepper.last_was_fused());
  stepper.step_plain(plain_params, grads, plain_state);
  EXPECT_EQ(bit_difference(params, plain_params), "");
}

TEST(Stepper, OtherStructureIsAnError) {
  Tree params = random_tree();
  Stepper stepper(Adam{.learning_rate = 0.1});
  Tree state = stepper.init(params);
  Tree grads = random_tree();
  grads["other"] = grads["scale"];
  grads.erase("scale");
  EXPECT_THAT(error_of([&] { stepper.step(params, grads, state); }), ::testing::HasSubstr("other"));
  Tree wrong = Tree::list();
  EXPECT_THAT(error_of([&] { stepper.step(params, random_tree(), wrong); }),
              ::testing::HasSubstr("the chain has 2 transformations"));
}

// Counts what libtorch allocates.
class CountingAllocator : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* inner) : inner_(inner) {}
  c10::DataPtr allocate(std::size_t n) override {
    largest = std::max(largest, n);
    return inner_->allocate(n);
  }
  c10::DeleterFnPtr raw_deleter() const override { return inner_->raw_deleter(); }
  void copy_data(void* to, const void* from, std::size_t n) const override {
    inner_->copy_data(to, from, n);
  }
  std::size_t largest = 0;

 private:
  c10::Allocator* inner_;
};

TEST(Stepper, AFusedStepAllocatesNoTensor) {
  Tree params = large_tree(), grads = large_tree(1);
  Stepper stepper(Chain{{ClipByGlobalNorm{1.0}, AdamW{.learning_rate = warmup()}}});
  Tree state = stepper.init(params);
  stepper.step(params, grads, state);
  c10::Allocator* usual = c10::GetCPUAllocator();
  CountingAllocator counting(usual);
  c10::SetCPUAllocator(&counting, /*priority=*/1);
  stepper.step(params, grads, state);
  c10::SetCPUAllocator(usual, /*priority=*/1);
  EXPECT_TRUE(stepper.last_was_fused());
  EXPECT_EQ(counting.largest, 0u);
}

// ---- Sums.

TEST(Reduce, ThreadsChangeNothing) {
  const int before = at::get_num_threads();
  at::manual_seed(1);
  const Tensor x = at::randn({300001});
  std::vector<float> sums, squares;
  for (int threads : {1, 2}) {
    at::set_num_threads(threads);
    sums.push_back(sum(x).item<float>());
    squares.push_back(sum_of_squares(x).item<float>());
  }
  at::set_num_threads(before);
  EXPECT_THAT(sums, ::testing::Each(sums[0]));
  EXPECT_THAT(squares, ::testing::Each(squares[0]));
  EXPECT_NEAR(squares[0], (x.to(at::kDouble) * x.to(at::kDouble)).sum().item<double>(), 0.05);
}

TEST(Reduce, OtherDtypesAndSizes) {
  EXPECT_EQ(sum(at::empty({0})).item<float>(), 0);
  EXPECT_EQ(global_norm(Tree::dict()).item<float>(), 0);
  const Tensor ones = at::full({10000}, 1.0, at::kBFloat16);
  EXPECT_EQ(sum(ones).item<float>(), 9984);  // 10000 in bfloat16
  EXPECT_EQ(sum(ones.to(at::kDouble)).item<double>(), 10000);
  EXPECT_EQ(root_mean_square(ones).item<float>(), 1);
  EXPECT_EQ(safe_norm(at::full({4}, 0.5), 3.0).item<float>(), 3);
  EXPECT_EQ(safe_norm(at::full({4}, 2.0), 3.0).item<float>(), 4);
}

}  // namespace
}  // namespace kd::optim
