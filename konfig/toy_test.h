// A small framework for the tests of typed configs: interfaces, components and a root.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "konfig/config.h"
#include "konfig/register.h"

namespace toy {

using namespace konfig;

// Text in a config, with a type of its own.
class Key {
 public:
  Key() = default;
  Key(const char* path) : path_(path) {}
  explicit Key(std::string path) : path_(std::move(path)) {}
  const std::string& str() const { return path_; }

 private:
  std::string path_;
};

struct Optimizer;  // interfaces may stay incomplete
struct Loss;
struct Pipeline;
struct Transform;
struct ScheduleFn {
  static constexpr std::string_view konfig_name = "a schedule";
};

// A constant or a schedule.
struct Schedule : std::variant<double, Poly<ScheduleFn>> {
  using variant::variant;
  Schedule(int value) : variant(static_cast<double>(value)) {}
};

struct Cosine {
  double init_value = 0;
  double peak_value = 1e-3;
  int decay_steps = 1;
};
struct Adam {
  Schedule learning_rate = 1e-3;
  double b1 = 0.9;
  double b2 = 0.999;
};
struct Sgd {
  Schedule learning_rate = 0.1;
  std::optional<double> momentum = {};
};
struct Chain {
  Args<Poly<Optimizer>> transforms;
};
struct NamedChain {
  Kwargs<Poly<Optimizer>> transforms;
};

struct L2 {
  Key preds = {};
  Key targets = {};
  float weight = 1;
};

struct Elements {
  std::vector<std::string> keep;
};
struct ValueRange {
  Key key = {};
  std::pair<double, double> vrange = {0, 1};
  double hi = 1;
};
struct Tfds {
  Required<std::string> name;
  std::string split = "train";
  bool shuffle = false;
  std::optional<int> num_epochs = {};
  int batch_size = 1;
  std::vector<Poly<Transform>> transforms = {};
};

struct EveryNSteps {
  int n = 1;
};
struct Once {
  int step = 0;
};
struct Evaluator {
  std::variant<EveryNSteps, Once> run = EveryNSteps{};
  Inherit<Poly<Pipeline>, "train_ds"> ds = inherit;
  Inherit<Map<Poly<Loss>>, "train_losses"> losses = inherit;
  Inherit<int, "seed"> seed = inherit;
};

struct Trainer {
  static constexpr bool konfig_is_root = true;
  int seed = 0;
  std::string workdir;
  Poly<Pipeline> train_ds;
  std::optional<int> num_train_steps;
  Map<Poly<Loss>> train_losses;
  Map<Schedule> schedules;
  Poly<Optimizer> optimizer;
  Map<Evaluator> evals;
  int width = 8;
  std::vector<int> sizes = {};
  ConfigDict aux;
};

}  // namespace toy

KONFIG_COMPONENT(toy::ScheduleFn, toy::Cosine, "toy:cosine");
KONFIG_COMPONENT(toy::Optimizer, toy::Adam, "toy:adam");
KONFIG_COMPONENT(toy::Optimizer, toy::Sgd, "toy:sgd");
KONFIG_COMPONENT(toy::Optimizer, toy::Chain, "toy:chain");
KONFIG_COMPONENT(toy::Optimizer, toy::NamedChain, "toy:named_chain");
KONFIG_COMPONENT(toy::Loss, toy::L2, "toy:losses.L2");
KONFIG_COMPONENT(toy::Transform, toy::Elements, "toy:Elements");
KONFIG_COMPONENT(toy::Transform, toy::ValueRange, "toy:ValueRange");
KONFIG_COMPONENT(toy::Pipeline, toy::Tfds, "toy:Tfds");
