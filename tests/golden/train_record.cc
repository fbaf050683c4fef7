// Recording and comparing training runs.
#include "tests/golden/train_record.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/replace_all.h"
#include "kd/core/ops.h"
#include "kd/writers/engine/writer.h"
#include "konfig/json.h"
#include "konfig/konfig.h"

namespace golden {

using kd::train::Event;
using konfig::Dict;
using konfig::List;
using konfig::Value;

konfig::ConfigDict config_of(const std::string& json,
                             const std::map<std::string, std::string>& folders) {
  std::string text = json;
  for (auto& [name, folder] : folders) {
    text = base::replace_all(text, "\"" + name + "\"", "\"" + folder + "\"");
  }
  konfig::ConfigDict cfg = konfig::config_from_json(text);
  cfg.set("writer", konfig::call("kauldron.kd:train.KDMetricWriter", {{"console", false}}));
  return cfg;
}

void RunRecord::add_state(const kd::train::TrainState& state) {
  std::map<std::string, kd::Tensor> leaves;
  for (auto& [path, tensor] : kd::flatten(to_tree(state))) leaves.emplace(path, tensor.clone());
  states[state.step] = std::move(leaves);
}

void RunRecord::add(const Event& event) {
  const std::string step = std::to_string(event.step);
  if (event.kind == Event::Kind::save) order.push_back("save " + step);
  if (event.kind == Event::Kind::step) {
    order.push_back("step " + step);
    add_state(*event.state);
  }
  if (event.kind != Event::Kind::write) return;
  const std::string collection(event.collection);
  order.push_back("write " + collection + "@" + step);
  for (auto& [name, value] : event.record->scalars) {
    if (name.starts_with("perf_stats/")) {
      speeds.push_back(name);
    } else {
      series[collection][name][event.step] = value;
    }
  }
  for (auto& [name, image] : event.record->images) {
    images.push_back({collection, event.step, name, image.sizes().vec(),
                      image.to(at::kDouble).sum().item<double>()});
  }
}

namespace {

bool close(double ours, double wanted, const Tolerance& t) {
  if (std::isnan(wanted)) return std::isnan(ours);
  return std::abs(ours - wanted) <= t.atol + t.rtol * std::abs(wanted);
}

void expect_series(Problems& problems, const std::string& what, const Series& ours,
                   const Value& wanted, const Tolerance& tolerance) {
  std::set<std::string> names;
  for (auto& [key, steps] : wanted.as<Dict>()) {
    const std::string name = key.as<std::string>();
    names.insert(name);
    auto found = ours.find(name);
    if (found == ours.end()) {
      problems.push_back(what + ": " + name + " is missing");
      continue;
    }
    std::set<std::int64_t> known;
    for (auto& [step_text, value] : steps.as<Dict>()) {
      const std::int64_t step = std::stoll(step_text.as<std::string>());
      known.insert(step);
      auto at = found->second.find(step);
      if (at == found->second.end()) {
        problems.push_back(fmt::format("{}: {} at {} is missing", what, name, step));
      } else if (!close(at->second, number(value), tolerance)) {
        problems.push_back(fmt::format("{}: {} at {} is {}, expected {} (off by {:.2g} relative)",
                                       what, name, step, at->second, number(value),
                                       std::abs(at->second / number(value) - 1)));
      }
    }
    for (auto& [step, value] : found->second) {
      if (!known.contains(step)) {
        problems.push_back(fmt::format("{}: {} at {} is one too many", what, name, step));
      }
    }
  }
  for (auto& [name, steps] : ours) {
    if (!names.contains(name)) problems.push_back(what + ": " + name + " is not the reference's");
  }
}

void expect_order(Problems& problems, const std::vector<std::string>& ours, const Value& wanted) {
  const List& list = wanted.as<List>();
  for (std::size_t i = 0; i < std::max(ours.size(), list.size()); ++i) {
    const std::string a = i < ours.size() ? ours[i] : "nothing";
    const std::string b = i < list.size() ? list[i].as<std::string>() : "nothing";
    if (a == b) continue;
    problems.push_back(fmt::format("order: event {} is '{}', expected '{}'", i, a, b));
    return;
  }
}

}  // namespace

void expect_checksum(Problems& problems, const std::string& what, const kd::Tensor& ours,
                     const Dict& wanted, const Tolerance& t) {
  const kd::Tensor flat = ours.to(at::kDouble).flatten();
  if (ours.sizes().vec() != integers(wanted.at("shape"))) {
    problems.push_back(what + ": another shape");
    return;
  }
  auto check = [&](const char* name, double value, double expected, double scale) {
    if (std::abs(value - expected) <= scale) return;
    problems.push_back(fmt::format("{}: {} is {}, expected {}", what, name, value, expected));
  };
  const double n = static_cast<double>(flat.numel());
  const double abs_sum = number(wanted.at("abs_sum"));
  // Errors of single elements hardly add up.
  const double bound = t.rtol * abs_sum + t.atol * std::sqrt(n);
  check("the sum", flat.sum().item<double>(), number(wanted.at("sum")), bound);
  check("the sum of magnitudes", flat.abs().sum().item<double>(), abs_sum, bound);
  check("the sum of squares", flat.square().sum().item<double>(), number(wanted.at("square_sum")),
        2 * t.rtol * number(wanted.at("square_sum")) + bound);
  auto elements = [&](const char* name, std::int64_t begin) {
    const List& list = wanted.at(name).as<List>();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double value = flat[begin + static_cast<std::int64_t>(i)].item<double>();
      check(name, value, number(list[i]), t.atol + t.rtol * std::abs(number(list[i])));
    }
  };
  elements("first_8", 0);
  elements("last_4",
           flat.numel() - static_cast<std::int64_t>(wanted.at("last_4").as<List>().size()));
}

namespace {

const kd::Tensor* find(Problems& problems, const RunRecord& record, std::int64_t step,
                       const std::string& path) {
  auto state = record.states.find(step);
  if (state == record.states.end()) {
    problems.push_back(fmt::format("there is no state before step {}", step));
    return nullptr;
  }
  auto leaf = state->second.find(path);
  if (leaf != state->second.end()) return &leaf->second;
  problems.push_back(fmt::format("the state before step {} has no {}", step, path));
  return nullptr;
}

void expect_states(Problems& problems, const RunRecord& record, const TrainCase& c) {
  constexpr std::string_view kState = "state_before_step_", kSums = "checksums_before_step_";
  for (auto& [key, names] : c.tensor_names) {
    const std::int64_t step = std::stoll(key.as<std::string>().substr(kState.size()));
    for (auto& [path, name] : names.as<Dict>()) {
      const std::string at = path.as<std::string>();
      const kd::Tensor* ours = find(problems, record, step, at);
      if (!ours) continue;
      // The first values come from the same bits, through functions of float32.
      const Tolerance tolerance = step == 0 ? Tolerance{.atol = 1e-6, .rtol = 1e-6} : c.params;
      // The file has single numbers as vectors of one element.
      const kd::Tensor& wanted = c.tensors.at(name.as<std::string>());
      const std::string text =
          difference(*ours, ours->numel() == 1 ? wanted.reshape(ours->sizes()) : wanted, tolerance);
      if (text.empty()) continue;
      if (!c.differences.excuse({c.name, "", "", at, ""}, text))
        problems.push_back(fmt::format("before step {}: {}: {}", step, at, text));
    }
  }
  for (auto& [key, sums] : c.outputs) {
    const std::string name = key.as<std::string>();
    if (!name.starts_with(kSums)) continue;
    const std::int64_t step = std::stoll(name.substr(kSums.size()));
    for (auto& [path, wanted] : sums.as<Dict>()) {
      const std::string at = path.as<std::string>();
      if (const kd::Tensor* ours = find(problems, record, step, at)) {
        expect_checksum(problems, fmt::format("before step {}: {}", step, at), *ours,
                        wanted.as<Dict>(), c.params);
      }
    }
  }
}

}  // namespace

void expect_record(Problems& problems, RunRecord& record, const TrainCase& c) {
  expect_order(problems, record.order, c.outputs.at("order"));
  expect_series(problems, "train", record.series["train"], c.outputs.at("train"), c.values);
  for (auto& [key, wanted] : c.outputs.at("evals").as<Dict>()) {
    const std::string name = key.as<std::string>();
    expect_series(problems, name, record.series[name], wanted, c.values);
  }
  expect_states(problems, record, c);
}

void expect_opt_state_at_end(Problems& problems, const RunRecord& record, const TrainCase& c) {
  const Value* sums = c.outputs.find("opt_state_at_end");
  if (!sums) return;
  const std::int64_t last = record.states.rbegin()->first;
  for (auto& [path, wanted] : sums->as<Dict>()) {
    const std::string at = path.as<std::string>();
    const kd::Tensor* ours = find(problems, record, last, at);
    if (!ours) continue;
    const std::string what = "at the end: " + at;
    if (auto* parts = wanted.get_if<Dict>()) {
      expect_checksum(problems, what, *ours, *parts, c.params);
    } else if (ours->item<double>() != number(wanted)) {
      problems.push_back(
          fmt::format("{} is {}, expected {}", what, ours->item<double>(), number(wanted)));
    }
  }
}

namespace {

// "checkpoints/ckpt_5/...": the folder; event files: their collection's.
std::string top_of(const std::string& file) {
  const fs::path path(file);
  if (path.begin()->string() == "checkpoints") {
    auto it = path.begin();
    const std::string folder = (++it)->string();
    return "checkpoints/" + folder;
  }
  return path.filename().string().starts_with("events.out.tfevents")
             ? path.parent_path().string() + "/events"
             : file;
}

}  // namespace

void expect_files(Problems& problems, const fs::path& workdir, const Value& wanted) {
  std::set<std::string> ours, theirs;
  for (auto& entry : fs::recursive_directory_iterator(workdir)) {
    if (!entry.is_regular_file()) continue;
    const fs::path file = fs::relative(entry.path(), workdir);
    // Numbers as plain text are our own.
    if (file.filename() == "metrics.csv" || file.filename() == "metrics.jsonl") continue;
    ours.insert(top_of(file.string()));
  }
  for (const Value& file : wanted.as<List>()) theirs.insert(top_of(file.as<std::string>()));
  for (auto& file : theirs) {
    if (!ours.contains(file)) problems.push_back("files: " + file + " is missing");
  }
  for (auto& file : ours) {
    if (!theirs.contains(file)) problems.push_back("files: " + file + " is not the reference's");
  }
}

}  // namespace golden
