// Optimizers and learning rates of experiments as components.
#include "base/join.h"
#include "kd/problems/keras.h"
#include "kd/problems/lower_impl.h"
#include "kd/problems/optimizer_factory.h"
#include "kd/problems/values_impl.h"
#include "konfig/suggest.h"

namespace kd::problems {

using konfig::Error;
using konfig::ErrorKind;

namespace {

int whole_steps(std::int64_t steps, const char* what) {
  if (steps > 0 && steps <= std::numeric_limits<int>::max()) return static_cast<int>(steps);
  throw Error(ErrorKind::value, what,
              "the schedule has " + std::to_string(steps) +
                  " steps, of batches that nb_samples_per_epoch fills; give larger "
                  "timekeeping.nb_samples_per_epoch or nb_epochs, or a smaller batch_size");
}

double checked_lr(double lr) {
  check_number(lr, "lr");
  return lr;
}

void check(const OptimizerConfig& cfg) {
  for (const double beta : cfg.betas) check_number(beta, "betas", 1.0);
  check_number(cfg.epsilon, "epsilon");
  check_number(cfg.rho, "rho", 1.0);
  check_number(cfg.initial_accumulator_value, "initial_accumulator_value");
}

std::optional<double> limit(double value, const char* name) {
  if (value == -1.0) return {};
  if (value > 0) return value;
  throw Error(ErrorKind::value, name,
              "expected a number above 0, or -1 for none, got " + konfig::Value(value).repr());
}

}  // namespace

Poly<ScheduleFn> OptimizerFactory::lr_schedule(const Timekeeping& time) const {
  const auto factory = make<LRScheduleBase>(*cfg.lr_schedule_class, cfg.lr_schedule,
                                            "a learning rate", "lr_schedule");
  Poly<ScheduleFn> lr = within("lr_schedule", [&] { return factory->schedule(time); });
  if (cfg.lr_warmup == -1) return lr;
  if (cfg.lr_warmup < 0) {
    throw Error(ErrorKind::value, "lr_warmup",
                "expected epochs, or -1 for none, got " + std::to_string(cfg.lr_warmup));
  }
  if (cfg.lr_warmup == 0) return lr;
  const std::int64_t steps = cfg.lr_warmup * time.nb_steps_per_epoch();
  const auto* cosine = lr.get_if<optim::CosineDecay>();
  if (cosine && cosine->alpha == 0 && steps >= *cosine->decay_steps) {
    throw Error(ErrorKind::value, "lr_warmup",
                "the rate rises to that of the schedule after " + std::to_string(cfg.lr_warmup) +
                    " epochs, which is 0: all rates would be 0; give less than nb_epochs, or an "
                    "alpha above 0");
  }
  return Warmup{.schedule = lr, .steps = whole_steps(steps, "lr_warmup")};
}

Poly<Optimizer> OptimizerFactory::optimizer(const Poly<ScheduleFn>& lr) const {
  check(cfg);
  if (cfg.clipnorm != -1.0 && cfg.clipvalue != -1.0) {
    throw Error(ErrorKind::value, "clipnorm",
                "it is set, and so is clipvalue; gradients are clipped one way");
  }
  const std::vector<std::string> names = {"sgd",     "adam",     "adamax",
                                          "rmsprop", "adadelta", "adagrad"};
  if (std::ranges::find(names, cfg.optimizer) == names.end()) {
    throw Error(ErrorKind::value, "optimizer",
                "there is no '" + cfg.optimizer + "'" + konfig::did_you_mean(cfg.optimizer, names) +
                    "; there are " + base::join(names, ", "));
  }
  return KerasOptimizer{.name = cfg.optimizer,
                        .learning_rate = lr,
                        .betas = cfg.betas,
                        .clipnorm = limit(cfg.clipnorm, "clipnorm"),
                        .clipvalue = limit(cfg.clipvalue, "clipvalue"),
                        .epsilon = cfg.epsilon,
                        .rho = cfg.rho,
                        .initial_accumulator_value = cfg.initial_accumulator_value};
}

Poly<ScheduleFn> LRConstFactory::schedule(const Timekeeping&) const {
  return optim::ConstantSchedule{.value = checked_lr(*cfg.lr)};
}

Poly<ScheduleFn> LRMultiStepsFactory::schedule(const Timekeeping& time) const {
  if (cfg.lr_values->size() != cfg.lr_boundaries->size() + 1) {
    throw Error(ErrorKind::value, "lr_values",
                "expected one more than lr_boundaries, got " +
                    std::to_string(cfg.lr_values->size()) + " and " +
                    std::to_string(cfg.lr_boundaries->size()));
  }
  if (!std::ranges::is_sorted(*cfg.lr_boundaries)) {
    throw Error(ErrorKind::value, "lr_boundaries", "expected epochs in increasing order");
  }
  for (const double lr : *cfg.lr_values) check_number(lr, "lr_values");
  std::vector<std::int64_t> boundaries;
  for (int epoch : *cfg.lr_boundaries) boundaries.push_back(epoch * time.nb_steps_per_epoch());
  return MultiSteps{.boundaries = boundaries, .values = *cfg.lr_values};
}

Poly<ScheduleFn> LRCosineDecayFactory::schedule(const Timekeeping& time) const {
  return optim::CosineDecay{.init_value = checked_lr(*cfg.lr),
                            .decay_steps = whole_steps(time.nb_steps(), "lr"),
                            .alpha = cfg.alpha};
}

Poly<ScheduleFn> LRExponentialDecayFactory::schedule(const Timekeeping& time) const {
  if (*cfg.lr_decay_frequency < 1) {
    throw Error(
        ErrorKind::value, "lr_decay_frequency",
        "expected epochs, a whole number above 0, got " + std::to_string(*cfg.lr_decay_frequency));
  }
  const std::int64_t steps = *cfg.lr_decay_frequency * time.nb_steps_per_epoch();
  return optim::ExponentialDecay{.init_value = checked_lr(*cfg.lr),
                                 .transition_steps = whole_steps(steps, "lr_decay_frequency"),
                                 .decay_rate = *cfg.lr_decay_rate,
                                 .staircase = cfg.staircase};
}

}  // namespace kd::problems
