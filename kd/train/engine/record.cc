// Values as they are written.
#include "kd/train/engine/record.h"

namespace kd::train {

using konfig::Dict;

namespace {

// "metrics/norms/kernel" becomes {"norms": {"kernel": ...}}.
void set_nested(Dict& out, std::string_view name, double value) {
  const auto slash = name.find('/');
  if (slash == name.npos) {
    out.set(std::string(name), value);
    return;
  }
  const std::string head(name.substr(0, slash));
  Dict inner;
  if (auto* found = out.find(head); found && found->is<Dict>()) inner = found->as<Dict>();
  set_nested(inner, name.substr(slash + 1), value);
  out.set(head, inner);
}

}  // namespace

Dict metrics_of(const AuxValues& values) {
  Dict out;
  for (auto& [name, value] : values.losses) set_nested(out, name, value);
  constexpr std::string_view kMetrics = "metrics/";
  for (auto& [name, value] : values.metrics) {
    set_nested(out, std::string_view(name).substr(kMetrics.size()), value);
  }
  return out;
}

writers::Record record_of(std::int64_t step, const AuxValues& values,
                          std::vector<std::pair<std::string, double>> more) {
  writers::Record record{.step = step};
  record.scalars = values.losses;
  record.scalars.insert(record.scalars.end(), values.metrics.begin(), values.metrics.end());
  for (auto& scalar : more) record.scalars.push_back(std::move(scalar));
  for (auto& [name, value] : values.summaries) writers::add_summary(record, name, value);
  return record;
}

}  // namespace kd::train
