// The groups of the optim cases.
#include "tests/golden/optim_case.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <map>
#include <set>

#include "kd/core/ops.h"
#include "kd/optim/components.h"
#include "kd/optim/engine/mask.h"
#include "kd/optim/engine/stepper.h"
#include "kd/optim/schedule.h"
#include "konfig/load.h"
#include "tests/golden/compare.h"
#include "tests/golden/numbers.h"

namespace golden {
namespace {

using kd::Optimizer;
using kd::Poly;
using kd::Tree;
using konfig::Dict;
using konfig::List;
using konfig::Value;
using Problems = std::vector<std::string>;

// Leaves of ours against tensors `<prefix>/<path>`, of which `item` is the one to compare.
void compare(const Tree& ours, const Tensors& tensors, const std::string& prefix,
             const std::vector<std::string>& paths, std::int64_t item, const Value& tolerance,
             const std::string& what, Problems& problems) {
  std::map<std::string, kd::Tensor> leaves;
  for (auto& [path, tensor] : kd::flatten(ours)) leaves[path] = tensor;
  for (const std::string& path : paths) {
    auto found = leaves.find(path);
    if (found == leaves.end()) {
      problems.push_back(what + " " + path + ": missing");
      continue;
    }
    kd::Tensor wanted = tensors.at(prefix + "/" + path);
    if (item >= 0) wanted = wanted.select(0, item);
    const std::string off = difference(found->second, wanted, tolerance_of(tolerance));
    if (!off.empty()) problems.push_back(what + " " + path + ": " + off);
    leaves.erase(found);
  }
  for (auto& [path, tensor] : leaves) problems.push_back(what + " " + path + ": not wanted");
}

void compare_state(const Tree& ours, const Dict& wanted, const Tensors& tensors,
                   const std::string& what, Problems& problems) {
  compare(ours, tensors, wanted.at("prefix").as<std::string>(), texts(wanted.at("paths")), -1,
          wanted.at("tolerance"), what, problems);
  std::map<std::string, std::string> types;
  for (auto& [path, type] : node_types(ours)) types[path] = type;
  for (auto& [key, value] : wanted.at("nodes").as<Dict>()) {
    const std::string path = key.as<std::string>(), type = value.as<std::string>();
    // Ours has one kind of sequence.
    const std::string ours_type = type == "tuple" ? "list" : type;
    if (types[path] != ours_type) {
      problems.push_back(what + " node '" + path + "': is " + types[path] + ", wanted " + type);
    }
    types.erase(path);
  }
  for (auto& [path, type] : types) {
    problems.push_back(what + " node '" + path + "': " + type + " is not wanted");
  }
}

// One run: the updates or the parameters after some steps, and the last state.
class Run {
 public:
  Run(const OptimCase& c, const Dict& data, const Tensors& tensors) : c_(c), tensors_(tensors) {
    prefix_ = c.inputs.at("data").as<std::string>();
    const std::string name = prefix_.substr(prefix_.rfind('/') + 1);
    paths_ = texts(data.at(name).as<Dict>().at("paths"));
    steps_ = c.inputs.at("steps").as<std::int64_t>();
    optimizer_ = konfig::load<Poly<Optimizer>>(resolve_args(c.args));
    lookahead_ = c.args.at("__qualname__").as<std::string>().ends_with("lookahead");
  }

  void pure(Problems& problems) const {
    Tree at = params();
    Tree state = kd::optim::init(optimizer_, at);
    for (std::int64_t i = 0; i < steps_; ++i) {
      kd::optim::Update next = kd::optim::update(optimizer_, grads(i), state, at);
      state = next.state;
      if (is_training()) at = kd::optim::apply_updates(at, next.updates);
      compare_step(is_training() ? at : next.updates, i + 1, "", problems);
    }
    compare_state(state, c_.outputs.at("state").as<Dict>(), tensors_, "state", problems);
  }

  // The same in place.
  void in_place(Problems& problems) const {
    if (!is_training()) return;
    Tree at = params();
    kd::optim::Stepper stepper(optimizer_);
    Tree state = stepper.init(at);
    const std::string what = "in place, ";
    for (std::int64_t i = 0; i < steps_; ++i) {
      stepper.step(at, grads(i), state);
      compare_step(at, i + 1, what, problems);
    }
    compare_state(state, c_.outputs.at("state").as<Dict>(), tensors_, what + "state", problems);
  }

 private:
  bool is_training() const { return c_.outputs.find("params") != nullptr; }

  Tree params() const {
    Tree out = kd::map(tree_of(tensors_, prefix_ + "/params", paths_),
                       [](const kd::Tensor& t) { return t.clone(); });
    return lookahead_ ? kd::optim::lookahead_params(out) : out;
  }

  Tree grads(std::int64_t step) const {
    return tree_of(tensors_, prefix_ + "/grads", paths_, step);
  }

  void compare_step(const Tree& ours, std::int64_t step, const std::string& how,
                    Problems& problems) const {
    const char* what = is_training() ? "params" : "updates";
    const Dict& wanted = c_.outputs.at(what).as<Dict>();
    const auto after = integers(wanted.at("after_steps"));
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i] != step) continue;
      compare(ours, tensors_, wanted.at("prefix").as<std::string>(), texts(wanted.at("paths")),
              static_cast<std::int64_t>(i), c_.tolerance,
              how + what + " after " + std::to_string(step), problems);
    }
  }

  const OptimCase& c_;
  const Tensors& tensors_;
  std::string prefix_;
  std::vector<std::string> paths_;
  std::int64_t steps_ = 0;
  Poly<Optimizer> optimizer_;
  bool lookahead_ = false;
};

void run_schedule(const OptimCase& c, const Tensors& tensors, Problems& problems) {
  auto schedule = konfig::load<Poly<kd::ScheduleFn>>(resolve_args(c.args));
  const kd::Schedule field = schedule;
  std::vector<float> logged, inside;
  for (std::int64_t step : integers(c.inputs.at("steps"))) {
    logged.push_back(static_cast<float>(schedule(step)));
    inside.push_back(static_cast<float>(kd::optim::value_at(field, step).value));
  }
  auto check = [&](const char* output, const std::vector<float>& ours) {
    const std::string off =
        difference(at::tensor(ours), tensors.at(c.outputs.at(output).as<std::string>()),
                   tolerance_of(c.tolerance));
    if (!off.empty()) problems.push_back(std::string(output) + ": " + off);
  };
  check("values", inside);
  check("values_int", logged);
  const List& first = c.outputs.at("first").as<List>();
  const Tolerance tolerance = tolerance_of(c.tolerance);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double wanted = number(first[i]), ours = inside.at(i);
    if (std::abs(ours - wanted) <= tolerance.atol + tolerance.rtol * std::abs(wanted)) continue;
    problems.push_back("first[" + std::to_string(i) + "]: " + std::to_string(ours) + ", wanted " +
                       std::to_string(wanted));
  }
}

void run_mask(const OptimCase& c, Problems& problems) {
  const std::vector<std::string> paths = texts(c.inputs.at("paths"));
  Tensors leaves;
  for (const std::string& path : paths) leaves["t/" + path] = at::zeros({});
  const Tree tree = tree_of(leaves, "t", paths);
  const kd::Mask mask = konfig::load<kd::Mask>(resolve_args(c.args));
  const std::vector<bool> ours = kd::optim::flatten(kd::optim::marks_of(mask, tree), tree);
  std::map<std::string, bool> by_path;
  const auto flat = kd::flatten(tree);
  for (std::size_t i = 0; i < flat.size(); ++i) by_path[flat[i].first] = ours[i];
  const auto& wanted = c.outputs.at("mask").as<List>();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto found = by_path.find(paths[i]);
    if (found == by_path.end() || found->second != wanted[i].as<bool>()) {
      problems.push_back(paths[i] + ": wanted " + wanted[i].repr());
    }
  }
}

// Does everything that can fail, in order.
void use(const OptimCase& c) {
  const Value object = resolve_args(c.args);
  const Tree params = Tree::dict({{"a", at::ones({2})}, {"b", at::ones({3})}});
  try {
    konfig::load<Poly<kd::ScheduleFn>>(object)(0);
    return;
  } catch (const konfig::Error&) {
  }
  auto optimizer = konfig::load<Poly<Optimizer>>(object);
  const Tree state = kd::optim::init(optimizer, params);
  kd::optim::update(optimizer, params, state);
  kd::optim::update(optimizer, params, state, params);
}

void run_error(const OptimCase& c, Problems& problems) {
  const std::string wanted = c.outputs.at("exception").as<std::string>();
  try {
    use(c);
    problems.push_back("no error, wanted " + wanted);
  } catch (const konfig::Error& error) {
    if (python_name(error.kind()) != wanted) {
      problems.push_back("wanted " + wanted + ", got " + python_name(error.kind()) + ": " +
                         error.what());
    }
  }
}

}  // namespace

Problems run_optim_case(const OptimCase& c, const Dict& data, const Tensors& tensors) {
  Problems problems = unknown_outputs(c.outputs, {"params", "updates", "state", "values",
                                                  "values_int", "first", "mask", "exception"});
  if (c.group == "schedule") {
    run_schedule(c, tensors, problems);
  } else if (c.group == "mask") {
    run_mask(c, problems);
  } else if (c.group == "error") {
    run_error(c, problems);
  } else {
    const Run run(c, data, tensors);
    run.pure(problems);
    run.in_place(problems);
  }
  return problems;
}

}  // namespace golden
