// Descriptions of a trainer.
#include <cmath>
#include <map>

#include "kd/engine/describe_impl.h"
#include "kd/metrics/engine/metric.h"
#include "kd/nn/module/keys.h"
#include "kd/optim/schedule.h"
#include "kd/train/engine/check.h"
#include "kd/train/epochs.h"
#include "konfig/error.h"
#include "kontext/flatten.h"

namespace kd::engine {

using konfig::Error;
using konfig::ErrorKind;
using train::Trainer;

namespace {

// What stands between quotes, or in the fields of a record.
std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (std::string_view("\"\\{}|<> ").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string quoted(const std::string& text) { return '"' + escaped(text) + '"'; }

// A box with a field for each input or output.
struct Box {
  std::vector<std::string> fields = {};
  std::size_t field(const std::string& name) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i] == name) return i;
    }
    fields.push_back(name);
    return fields.size() - 1;
  }
  std::string label(const std::string& name) const {
    std::string out = '"' + escaped(name);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      out += "|<f" + std::to_string(i) + "> " + escaped(fields[i]);
    }
    return out + '"';
  }
};

class Graph {
 public:
  // A component with its keys. Steps lead to schedules of weights everywhere: they are left out.
  void add(const std::string& group, const std::string& name, const kontext::KeyPaths& keys) {
    const std::string id = group.empty() ? name : group + "." + name;
    Box box;
    for (auto& [path, leaf] : kontext::flatten_with_path(keys)) {
      auto* key = leaf.get_if<std::string>();
      if (!key || *key == "step" || *key == Key::kRequired) continue;
      const std::size_t end = key->find_first_of(".[");
      const std::string root = key->substr(0, end);
      std::string to = quoted(id) + ":f" + std::to_string(box.field(path.str()));
      std::string from = quoted(root);
      Box& source = roots_[root];
      if (end != key->npos) {
        const std::string rest = key->substr(end + ((*key)[end] == '.' ? 1 : 0));
        from += ":f" + std::to_string(source.field(rest));
      }
      edges_ += "  " + from + " -> " + to + ";\n";
    }
    groups_[group] +=
        (group.empty() ? "  " : "    ") + quoted(id) + " [label=" + box.label(name) + "];\n";
  }

  std::string text() const {
    std::string out = "digraph {\n  rankdir=LR;\n  node [shape=record];\n";
    for (auto& [name, box] : roots_)
      out += "  " + quoted(name) + " [label=" + box.label(name) + "];\n";
    for (auto& [group, nodes] : groups_) {
      out += group.empty() ? nodes
                           : "  subgraph " + quoted("cluster_" + group) +
                                 " {\n    label=" + quoted(group) + ";\n" + nodes + "  }\n";
    }
    for (const char* made : {"preds", "interms"}) {
      if (roots_.contains(made)) out += std::string("  \"model\" -> \"") + made + "\";\n";
    }
    return out + edges_ + "}\n";
  }

 private:
  std::map<std::string, Box> roots_;
  std::map<std::string, std::string> groups_;
  std::string edges_;
};

}  // namespace

std::string connection_graph(const Trainer& trainer) {
  Graph graph;
  graph.add("", "model", nn::keypaths(trainer.model));
  for (auto& [name, loss] : trainer.train_losses) {
    Poly<Metric> metric;
    metric.set_spec(loss.spec());
    graph.add("losses", name, metrics::keypaths(metric));
  }
  for (auto& [name, metric] : trainer.train_metrics) {
    graph.add("metrics", name, metrics::keypaths(metric));
  }
  for (auto& [name, summary] : trainer.train_summaries) {
    graph.add("summaries", name, metrics::keypaths(summary));
  }
  return graph.text();
}

namespace {

std::int64_t last_step_of(const Trainer& trainer) {
  if (trainer.epochs) {
    // Where the data ends may be the end of an epoch.
    const train::EpochPlan plan(*trainer.epochs, train::open_train_data(trainer).pass_size);
    return plan.num_steps();
  }
  if (trainer.num_train_steps) return *trainer.num_train_steps;
  throw Error(ErrorKind::required, "num_train_steps",
              "not set; give the number of steps, or set epochs");
}

}  // namespace

std::vector<Series> schedule_series(const Trainer& trainer) {
  if (trainer.schedules.empty()) {
    throw Error(ErrorKind::value, "schedules",
                "there are none; cfg.schedules names those that are logged and drawn");
  }
  const auto last = static_cast<double>(last_step_of(trainer));
  constexpr int kPoints = 1000;
  std::vector<Series> out;
  for (auto& [name, schedule] : trainer.schedules) {
    Series series{.name = "schedules/" + name};
    for (int i = 0; i < kPoints; ++i) {
      const double step = std::nearbyint(last * i / (kPoints - 1));
      series.points.emplace_back(step, schedule(static_cast<std::int64_t>(step)));
    }
    out.push_back(std::move(series));
  }
  return out;
}

}  // namespace kd::engine
