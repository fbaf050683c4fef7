// Runs the cases of the group `summary`: images, histograms, texts, point clouds, grids.
#include "tests/golden/metrics_summaries.h"

#include "kd/metrics/engine/metric.h"
#include "tests/golden/compare.h"

namespace golden {

using kd::Tensor;
using kd::Tree;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

Tree value_of(const ComponentCase& c) {
  namespace metrics = kd::metrics;
  auto metric = component_of<kd::Metric>(Value(c.args));
  metrics::State state = metrics::empty(metric);
  for (const Value& inputs : c.inputs.as<List>()) {
    Tree context = context_of(inputs.as<Dict>(), *c.tensors);
    state = std::move(state).merge(metrics::get_state(metric, context));
  }
  return state.finalize().compute();
}

// A record by its fields: that of a histogram has one called `tensor`, which is no reference.
void compare_record(std::vector<Mismatch>& out, const Tree& ours, const Dict& wanted,
                    const ComponentCase& c) {
  if (!ours.has_names() || ours.size() != wanted.size()) {
    out.push_back({"value", show(Value(wanted)), std::string(ours.type())});
    return;
  }
  for (auto& [key, value] : wanted) {
    auto& name = key.as<std::string>();
    auto* field = ours.find(name);
    compare_value(out, "value." + name, field ? *field : Tree(), value, c);
  }
}

// Of a grid only what lies below the header is compared: names are drawn with another font.
void compare_grid(std::vector<Mismatch>& out, const Tensor& ours, const Dict& wanted,
                  const ComponentCase& c) {
  if (ours.sizes().vec() != integers(wanted.at("shape"))) {
    std::string sizes;
    for (auto size : ours.sizes()) sizes += " " + std::to_string(size);
    out.push_back({"shape", show(wanted.at("shape")), "it is" + sizes});
    return;
  }
  const Tensor& below = c.tensor(wanted.at("below_header"));
  // The header and the border below it; the first pictures come after one border more.
  const std::int64_t above = ours.size(1) - below.size(1);
  const auto border = c.args.at("border_width").as<std::int64_t>();
  const List rows{above - border, above + border};
  const List wanted_rows{wanted.at("header_rows"), wanted.at("first_row")};
  if (!identical(rows, wanted_rows)) out.push_back({"rows", show(wanted_rows), show(rows)});
  std::string problem =
      difference(ours.narrow(1, ours.size(1) - below.size(1), below.size(1)), below, c.tolerance);
  if (!problem.empty()) out.push_back({"below_header", show(wanted.at("below_header")), problem});
}

}  // namespace

std::vector<Mismatch> run_summary(const ComponentCase& c) {
  std::vector<Mismatch> out;
  Tree ours = value_of(c);
  const Dict& outputs = c.outputs.as<Dict>();
  if (outputs.find("below_header")) {
    compare_grid(out, ours.tensor(), outputs, c);
    return out;
  }
  const Value& wanted = outputs.at("value");
  auto* dict = wanted.get_if<Dict>();
  auto* tensor = dict ? dict->find("tensor") : nullptr;
  if (dict && !(tensor && tensor->is<std::string>())) {
    compare_record(out, ours, *dict, c);
  } else {
    compare_value(out, "value", ours, wanted, c);
  }
  return out;
}

}  // namespace golden
