#include "kd/nn/recurrent/recurrent.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "kd/nn/layers/layers_test.h"
#include "kd/nn/recurrent/rnn.h"

namespace kd::nn {
namespace {

constexpr auto kDouble = DType::float64;
const initializers::Normal kWide{.stddev = 1};

TEST(Recurrent, GradientsAreSlopes) {
  Tensor x = noise({2, 3, 4});
  auto error = [&](Poly<kd::Module> cell) { return module_gradient_error(RNN{.cell = cell}, x); };
  EXPECT_LT(error(SimpleCell{.features = 3, .bias_init = kWide, .param_dtype = kDouble}), 1e-6);
  EXPECT_LT(error(LSTMCell{.features = 3, .bias_init = kWide, .param_dtype = kDouble}), 1e-6);
  EXPECT_LT(error(OptimizedLSTMCell{.features = 3, .bias_init = kWide, .param_dtype = kDouble}),
            1e-6);
  EXPECT_LT(error(GRUCell{.features = 3, .bias_init = kWide, .param_dtype = kDouble}), 1e-6);
  EXPECT_LT(error(MGUCell{.features = 3, .param_dtype = kDouble}), 1e-6);
}

TEST(Recurrent, BothLstmCellsAreTheSame) {
  Tensor x = noise({2, 4}, 0, at::kFloat);
  LSTMCell plain{.features = 3};
  OptimizedLSTMCell fast{.features = 3};
  LstmCarry carry = plain.initialize_carry(random::key(0), x.sizes());
  EXPECT_TRUE(carry[0].equal(at::zeros({2, 3})));
  Tree variables = plain.init({.rngs = random::key(0)}, carry, x);
  auto [plain_carry, plain_y] = plain.apply(variables, {}, carry, x).out;
  auto [fast_carry, fast_y] = fast.apply(variables, {}, carry, x).out;
  EXPECT_TRUE(plain_y.allclose(fast_y, 1e-5, 1e-6));
  EXPECT_TRUE(plain_carry[0].allclose(fast_carry[0], 1e-5, 1e-6));
}

TEST(Rnn, GoesOnFromAState) {
  Tensor x = noise({2, 5, 3}, 0, at::kFloat);
  RNN rnn{.cell = GRUCell{.features = 4}, .return_carry = true};
  Tree variables = rnn.init({.rngs = random::key(0)}, x);
  auto run = [&](const Tensor& part, kontext::TreeRef carry) {
    return rnn.apply(variables, {}, part, carry).out;
  };
  Out whole = run(x, {}), first = run(x.narrow(1, 0, 2), {});
  Out second = run(x.narrow(1, 2, 3), first.tree().child(0));
  EXPECT_TRUE(whole.tree().child(1).to<Tensor>().narrow(1, 2, 3).allclose(
      second.tree().child(1).to<Tensor>(), 1e-5, 1e-6));
  EXPECT_TRUE(
      whole.tree().child(0).to<Tensor>().allclose(second.tree().child(0).to<Tensor>(), 1e-5, 1e-6));
}

TEST(Rnn, EmptySequences) {
  RNN rnn{.cell = GRUCell{.features = 4}};
  Tree variables = rnn.init({.rngs = random::key(0)}, at::ones({2, 0, 3}));
  EXPECT_TRUE(variables["params"].contains("cell"));
  Tensor none = rnn.apply(variables, {}, at::ones({2, 0, 3})).out;
  EXPECT_EQ(sizes(none), Sizes({2, 0, 4}));
  Tensor empty = rnn.apply(variables, {}, at::ones({0, 5, 3})).out;
  EXPECT_EQ(sizes(empty), Sizes({0, 5, 4}));
}

TEST(Rnn, StepsAreNotRecorded) {
  RNN rnn{.cell = GRUCell{.features = 4}};
  Tensor x = at::ones({2, 3, 3});
  Tree variables = rnn.init({.rngs = random::key(0)}, x);
  auto run = rnn.apply(variables, {.capture_intermediates = true}, x);
  EXPECT_EQ(run.interms.find_child("cell"), nullptr);
  EXPECT_NE(run.interms.find_values("__call__"), nullptr);
}

TEST(Rnn, ErrorsNameThePlace) {
  EXPECT_THAT(init_error(RNN{.cell = GRUCell{.features = 4}}, at::ones({3})),
              HasSubstr("part: the input (3,) needs a dimension of time"));
  EXPECT_THAT(init_error(RNN{.cell = Dense{.features = 4}}, at::ones({2, 3, 4})),
              HasSubstr("kd::nn::RnnCell"));
  EXPECT_THAT(init_error(RNN{}, at::ones({2, 3, 4})), HasSubstr("was not set"));
}

}  // namespace
}  // namespace kd::nn
