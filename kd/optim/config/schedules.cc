// Checks of the schedules' fields.
#include <map>
#include <optional>

#include "base/number_in.h"
#include "kd/optim/check_schedules.h"
#include "konfig/error.h"
#include "konfig/load.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

void check_positive(const char* field, int steps) {
  if (steps > 0) return;
  throw Error(ErrorKind::value, field,
              "expected a positive number of steps, got " + std::to_string(steps));
}

std::optional<int> whole(const Value& key) {
  if (auto* number = key.get_if<std::int64_t>()) return static_cast<int>(*number);
  auto* text = key.get_if<std::string>();
  return text ? base::number_in<int>(*text) : std::nullopt;
}

}  // namespace

std::vector<std::pair<int, double>> boundaries_of(const Value& boundaries_and_scales) {
  const char* field = "boundaries_and_scales";
  if (boundaries_and_scales.is_none()) return {};
  auto* dict = boundaries_and_scales.get_if<konfig::Dict>();
  if (!dict) {
    throw Error(ErrorKind::type, field,
                "expected a dict of steps and scales, such as {100: 0.1}, got " +
                    konfig::describe(boundaries_and_scales));
  }
  std::map<int, double> sorted;
  for (auto& [key, value] : *dict) {
    auto step = whole(key);
    if (!step) {
      throw Error(ErrorKind::type, field,
                  "expected a whole number of steps as key, got " + konfig::describe(key));
    }
    double scale = 0;
    try {
      scale = konfig::load<double>(value);
    } catch (const Error& error) {
      throw error.within("[" + std::to_string(*step) + "]").within(field);
    }
    if (!(scale >= 0)) {
      throw Error(ErrorKind::value, std::string(field) + "[" + std::to_string(*step) + "]",
                  "expected a scale of 0 or more, got " + konfig::describe(value));
    }
    sorted[*step] = scale;
  }
  return {sorted.begin(), sorted.end()};
}

void check(const CosineDecay& schedule) { check_positive("decay_steps", schedule.decay_steps); }

void check(const WarmupCosineDecay& schedule) {
  if (schedule.decay_steps > schedule.warmup_steps) return;
  throw Error(ErrorKind::value, "decay_steps",
              "expected more than the " + std::to_string(schedule.warmup_steps) +
                  " warmup_steps, which it includes, got " + std::to_string(schedule.decay_steps));
}

void check(const PiecewiseInterpolate& schedule) { boundaries_of(schedule.boundaries_and_scales); }

void check(const LinearOnecycle& schedule) {
  check_positive("transition_steps", schedule.transition_steps);
}

void check(const CosineOnecycle& schedule) {
  check_positive("transition_steps", schedule.transition_steps);
}

void CosineDecay::konfig_post_resolve(const konfig::ConfigDict&) { check(*this); }
void WarmupCosineDecay::konfig_post_resolve(const konfig::ConfigDict&) { check(*this); }
void PiecewiseConstant::konfig_post_resolve(const konfig::ConfigDict&) {
  boundaries_of(boundaries_and_scales);
}
void PiecewiseInterpolate::konfig_post_resolve(const konfig::ConfigDict&) { check(*this); }
void LinearOnecycle::konfig_post_resolve(const konfig::ConfigDict&) { check(*this); }
void CosineOnecycle::konfig_post_resolve(const konfig::ConfigDict&) { check(*this); }

}  // namespace kd::optim
