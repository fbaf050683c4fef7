// Which checkpoints stay.
#include "kd/ckpts/retention_impl.h"

#include <algorithm>
#include <numeric>

#include "kd/ckpts/engine/store.h"
#include "kontext/get.h"
#include "kontext/tree_konfig.h"

namespace kd::ckpts {

using konfig::Error;
using konfig::ErrorKind;

namespace {

using Infos = std::vector<Info>;

template <class F>
Kept each(const Infos& infos, const F& keep) {
  Kept out(infos.size());
  for (std::size_t i = 0; i < infos.size(); ++i) out[i] = keep(infos[i]);
  return out;
}

Kept latest(const Infos& infos, std::optional<int> n) {
  Kept out(infos.size(), !n);
  const auto count = static_cast<std::size_t>(std::max(n.value_or(0), 0));
  for (std::size_t i = 0; n && i < std::min(count, out.size()); ++i) out[out.size() - 1 - i] = true;
  return out;
}

Kept every_seconds(const Infos& infos, double seconds) {
  std::optional<double> last;
  return each(infos, [&](const Info& info) {
    if (last && info.time < *last + seconds) return false;
    last = info.time;
    return true;
  });
}

Kept every_steps(const Infos& infos, int steps) {
  return each(infos, [&](const Info& info) { return steps > 0 && info.step % steps == 0; });
}

struct Best {
  std::string path;
  std::optional<int> n;
  bool lowest = false;
  bool keep_unmeasured = true;
};

double metric_of(const Info& info, const std::string& path) {
  try {
    const konfig::Value value = kontext::get_by_path(info.metrics, path).value();
    if (auto* whole = value.get_if<std::int64_t>()) return static_cast<double>(*whole);
    if (auto* number = value.get_if<double>()) return *number;
    throw Error(ErrorKind::type, "it is " + value.repr() + ", not a number");
  } catch (const Error& error) {
    throw Error(error.kind(), "best_metric_path '" + path + "' of the checkpoint of step " +
                                  std::to_string(info.step) + ": " + error.what() +
                                  "; that evaluator has to run at every step that is saved");
  }
}

// Of equal ones the newer is better; NaN is worst.
Kept best(const Infos& infos, const Best& options) {
  if (!options.n) return Kept(infos.size(), true);
  std::vector<std::pair<double, std::size_t>> measured;
  Kept out(infos.size(), false);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].metrics.is_none()) {
      out[i] = options.keep_unmeasured;
      continue;
    }
    double value = metric_of(infos[i], options.path);
    if (options.lowest) value = -value;
    if (value != value) value = -std::numeric_limits<double>::infinity();
    measured.emplace_back(value, i);
  }
  std::sort(measured.begin(), measured.end());
  const auto n = static_cast<std::size_t>(std::max(*options.n, 0));
  for (std::size_t k = measured.size() - std::min(n, measured.size()); k < measured.size(); ++k) {
    out[measured[k].second] = true;
  }
  return out;
}

// interval * base^k, and 0.
bool is_power(std::int64_t step, const ExpStep& policy) {
  if (step == 0) return true;
  if (policy.interval < 1 || policy.base < 2) {
    throw Error(ErrorKind::value, "ExpStep: interval is at least 1 and base at least 2");
  }
  if (step % policy.interval != 0) return false;
  std::int64_t factor = step / policy.interval;
  while (factor % policy.base == 0) factor /= policy.base;
  return factor == 1;
}

Kept either(Kept a, const Kept& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

// The steps that a run saves at, as far as they matter.
std::vector<std::int64_t> saved_steps(const Checkpointer& options, std::int64_t last) {
  constexpr std::size_t kEnough = 1000;
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i <= last && out.size() < kEnough; i += *options.save_interval_steps) {
    if (i > 0 || !options.never_save_step_zero) out.push_back(i);
  }
  for (int i : options.save_on_steps) {
    if (i <= last) out.push_back(i);
  }
  if (options.never_save_step_zero) out.push_back(1);
  std::ranges::sort(out);
  return out;
}

}  // namespace

Kept LatestN::kept(const Infos& infos) const { return latest(infos, n); }

Kept EveryNSteps::kept(const Infos& infos) const { return every_steps(infos, *interval_steps); }

Kept EveryNSeconds::kept(const Infos& infos) const { return every_seconds(infos, *interval_secs); }

Kept CustomSteps::kept(const Infos& infos) const {
  return each(infos, [&](const Info& info) {
    return std::find(steps.begin(), steps.end(), info.step) != steps.end();
  });
}

Kept ExpStep::kept(const Infos& infos) const {
  return each(infos, [&](const Info& info) { return is_power(info.step, *this); });
}

Kept KeepBestN::kept(const Infos& infos) const {
  return best(infos, {*metric_path, *n, reverse, keep_checkpoints_without_metrics});
}

Kept KeepExpStepAndBestN::kept(const Infos& infos) const {
  const ExpStep powers{.interval = *interval, .base = base};
  return either(powers.kept(infos),
                best(infos, {*metric_path, *n, reverse, keep_checkpoints_without_metrics}));
}

Kept AnyPreservationPolicy::kept(const Infos& infos) const {
  Kept out(infos.size(), false);
  for (auto& one : policies) out = either(std::move(out), ckpts::kept(one, infos));
  return out;
}

Kept kept(const Poly<PreservationPolicy>& policy, const Infos& infos) {
  Kept out = ops_of(policy).kept(policy.object().get(), infos);
  if (out.size() == infos.size()) return out;
  throw Error(ErrorKind::value, "preservation_policy",
              std::string(policy.type()->name) + "::kept: expected an answer for each of " +
                  std::to_string(infos.size()) + " checkpoints, got " + std::to_string(out.size()));
}

Kept kept(const Checkpointer& options, const Infos& infos) {
  if (options.preservation_policy) return kept(options.preservation_policy, infos);
  // Before there are too many: a wrong name is told at the first checkpoint.
  if (options.best_metric_path && !infos.empty() && !infos.back().metrics.is_none()) {
    metric_of(infos.back(), *options.best_metric_path);
  }
  const auto few = static_cast<std::size_t>(std::max(options.max_to_keep.value_or(0), 0));
  if (!options.max_to_keep || infos.size() <= few) return Kept(infos.size(), true);
  Kept out = options.best_metric_path ? best(infos, {*options.best_metric_path, options.max_to_keep,
                                                     options.best_mode == BestMode::min})
                                      : latest(infos, options.max_to_keep);
  if (options.keep_period) out = either(std::move(out), every_steps(infos, *options.keep_period));
  if (options.keep_time_interval) {
    out = either(std::move(out), every_seconds(infos, *options.keep_time_interval));
  }
  return out;
}

std::optional<BestMetric> Checkpointer::best_metric(std::int64_t last_step) const {
  if (!best_metric_path || preservation_policy) return {};
  BestMetric out{.path = *best_metric_path};
  if (!max_to_keep) return out;
  auto steps = saved_steps(*this, last_step);
  if (steps.size() > static_cast<std::size_t>(*max_to_keep)) out.steps = std::move(steps);
  return out;
}

}  // namespace kd::ckpts
