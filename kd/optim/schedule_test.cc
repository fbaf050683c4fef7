#include "kd/optim/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kd/optim/piecewise.h"
#include "konfig/config_dict.h"
#include "konfig/expect_test.h"
#include "konfig/register.h"

namespace my {

struct Halving {
  double init_value = 0.1;
  int period = 10;
  double operator()(std::int64_t step) const {
    const std::int64_t halvings = step / period;
    return init_value * std::pow(0.5, static_cast<double>(halvings));
  }
};

struct Plain {
  double operator()(std::int64_t) const { return 0.25; }
  bool is_plain() const { return true; }
};

}  // namespace my

KD_COMPONENT(kd::ScheduleFn, my::Halving);
KD_COMPONENT(kd::ScheduleFn, my::Plain);

namespace kd::optim {
namespace {

using ::testing::HasSubstr;

using konfig::error_of;

TEST(Schedule, NumbersAndNone) {
  EXPECT_EQ(value_at(Schedule(0.1), 5).value, 0.1);
  EXPECT_TRUE(value_at(Schedule(0.1), 5).plain);
  EXPECT_FALSE(is_schedule(Schedule(1)));
  EXPECT_TRUE(is_none(Schedule(Poly<ScheduleFn>())));
}

TEST(Schedule, Own) {
  const Poly<ScheduleFn> schedule = my::Halving{};
  EXPECT_EQ(schedule(0), 0.1);
  EXPECT_EQ(schedule(25), 0.025);
  EXPECT_FALSE(value_at(Schedule(my::Halving{}), 0).plain);
  EXPECT_TRUE(value_at(Schedule(my::Plain{}), 0).plain);
}

TEST(Schedule, IsCalledWithoutAConfig) {
  const CosineDecay decay{.init_value = 1.0, .decay_steps = 10};
  EXPECT_EQ(decay(4), Poly<ScheduleFn>(decay)(4));
  EXPECT_TRUE(decay.is_plain());
  EXPECT_FALSE(
      (LinearSchedule{.init_value = 0.0, .end_value = 1.0, .transition_steps = 5}.is_plain()));
}

TEST(Schedule, EndsMeet) {
  const Poly<ScheduleFn> warmup = WarmupCosineDecay{.init_value = 0.0,
                                                    .peak_value = 2.0,
                                                    .warmup_steps = 10,
                                                    .decay_steps = 30,
                                                    .end_value = 0.5};
  EXPECT_EQ(warmup(0), 0);
  EXPECT_EQ(warmup(10), 2);
  EXPECT_NEAR(warmup(30), 0.5, 1e-6);
  EXPECT_EQ(warmup(31), warmup(30));
  double last = -1;
  for (int step = 0; step <= 10; ++step) {
    EXPECT_GT(warmup(step), last);
    last = warmup(step);
  }
  for (int step = 11; step <= 30; ++step) {
    EXPECT_LT(warmup(step), last);
    last = warmup(step);
  }
}

TEST(Schedule, PartsOfAJoinCountFromTheirBeginning) {
  const Poly<ScheduleFn> ramp =
      LinearSchedule{.init_value = 0.0, .end_value = 1.0, .transition_steps = 10};
  const Poly<ScheduleFn> joined =
      JoinSchedules{.schedules = {{ramp, ramp, ramp}}, .boundaries = {{4, 20}}};
  for (int step = 0; step < 40; ++step) {
    const int begin = step < 4 ? 0 : step < 20 ? 4 : 20;
    EXPECT_EQ(joined(step), ramp(step - begin)) << step;
  }
}

TEST(Schedule, BoundariesAreWrittenAsNumbersOrText) {
  for (const konfig::Dict& points :
       {konfig::Dict{{5, 0.5}, {2, 0.1}}, konfig::Dict{{"2", 0.1}, {"5", 0.5}}}) {
    const Poly<ScheduleFn> schedule =
        PiecewiseConstant{.init_value = 1.0, .boundaries_and_scales = points};
    EXPECT_EQ(schedule(1), 1);
    EXPECT_FLOAT_EQ(static_cast<float>(schedule(2)), 0.1f);
    EXPECT_FLOAT_EQ(static_cast<float>(schedule(5)), 0.05f);
  }
}

TEST(Schedule, BadArguments) {
  EXPECT_THAT(
      error_of([] { Poly<ScheduleFn>(CosineDecay{.init_value = 1.0, .decay_steps = 0})(0); }),
      HasSubstr("decay_steps: expected a positive number of steps, got 0"));
  EXPECT_THAT(error_of([] {
                Poly<ScheduleFn>(
                    WarmupCosineDecay{.peak_value = 1.0, .warmup_steps = 9, .decay_steps = 9})(0);
              }),
              HasSubstr("more than the 9 warmup_steps"));
  EXPECT_THAT(error_of([] {
                Poly<ScheduleFn>(PiecewiseConstant{
                    .init_value = 1.0, .boundaries_and_scales = konfig::Dict{{"x", 1.0}}})(0);
              }),
              HasSubstr("whole number of steps as key"));
  EXPECT_THAT(error_of([] { Poly<ScheduleFn>(Sgdr{.cosine_kwargs = {{}}})(0); }),
              HasSubstr("one cycle or more"));
  EXPECT_THAT(
      error_of([] {
        Poly<ScheduleFn>(JoinSchedules{.schedules = {{my::Halving{}}}, .boundaries = {{1, 2}}})(0);
      }),
      HasSubstr("boundaries"));
}

TEST(Schedule, BadArgumentsAreFoundWhenAConfigIsResolved) {
  const auto cfg = konfig::ConfigDict{
      {"lr", konfig::call("optax:piecewise_interpolate_schedule",
                          {{"interpolate_type", "cubic"}, {"init_value", 1.0}})}};
  EXPECT_THAT(error_of([&] { konfig::resolve(konfig::Value(cfg)); }),
              HasSubstr("cfg.lr.interpolate_type: expected one of linear, cosine"));
}

}  // namespace
}  // namespace kd::optim
