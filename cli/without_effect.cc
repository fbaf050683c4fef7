#include "cli/without_effect.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/join.h"
#include "cli/config_fields.h"
#include "cli/terminal.h"
#include "konfig/registry.h"
#include "kontext/get.h"
#include "kontext/tree_konfig.h"

namespace cli {

using konfig::ConfigDict;
using kontext::Path;

namespace {

using Names = std::vector<std::string_view>;

// The fields of a mixture that only count there, and not in its parts; none for other types.
Names fields_of_mixture(const ConfigDict& node) {
  const konfig::Symbol* symbol = node.is_call() ? konfig::find_symbol(node.qualname()) : nullptr;
  const std::string_view type = symbol && symbol->type ? symbol->type->name : std::string_view();
  if (type == "kd::data::py::Mix" || type == "kd::data::py::SelectFromDatasets") {
    return {"num_epochs",           "batch_size",  "seed",
            "batch_drop_remainder", "num_workers", "per_worker_buffer_size"};
  }
  if (type == "kd::data::tf::SampleFromDatasets" || type == "kd::data::tf::ZipDatasets") {
    return {"batch_size", "seed", "batch_drop_remainder", "prefetch_size", "checkpoint"};
  }
  return {};
}

bool has(const Names& names, const Path& place) {
  return std::ranges::find(names, place[-1].name()) != names.end();
}

konfig::Value value_at(const ConfigDict& cfg, const Path& place) {
  return kontext::find_by_path(kontext::TreeRef(cfg), place).value();
}

// Whether `place` is `datasets[0].batch_size` or so within a mixture.
bool counts_in_a_mixture(const ConfigDict& cfg, const Path& place) {
  if (place.size() < 3 || place[-3].name() != "datasets") return false;
  const konfig::Value around = value_at(cfg, place.parent().parent().parent());
  auto* node = around.get_if<ConfigDict>();
  return node && has(fields_of_mixture(*node), place);
}

// Whether `place` is `max_to_keep` or so of a checkpointer with a policy of its own.
bool decides_a_policy(const ConfigDict& cfg, const Path& place) {
  if (!has({"max_to_keep", "keep_period", "keep_time_interval"}, place)) return false;
  const konfig::Value around = value_at(cfg, place.parent());
  auto* node = around.get_if<ConfigDict>();
  return node && !node->get("preservation_policy", konfig::Value()).is_none();
}

std::string why_without_effect(const ConfigDict& cfg, const ConfigField& field) {
  constexpr std::string_view kMark = "no effect";  // "no effect: why", "no effect here: why"
  const std::size_t colon = field.doc.find(": ");
  if (field.doc.starts_with(kMark) && colon != field.doc.npos) {
    return std::string(field.doc.substr(colon + 2));
  }
  const Path place = Path::parse(field.path);
  if (place.size() == 2 && place[0].name() == "sharding") return "there is one device";
  if (counts_in_a_mixture(cfg, place)) return "that of the mixture counts";
  return decides_a_policy(cfg, place) ? "preservation_policy decides" : "";
}

}  // namespace

void note_without_effect(const ConfigDict& cfg) {
  std::vector<std::string> found;
  for (const ConfigField& field : config_fields(cfg)) {
    if (field.is_default) continue;
    const std::string why = why_without_effect(cfg, field);
    if (!why.empty()) found.push_back("cfg." + field.path + " (" + why + ")");
  }
  if (!found.empty()) remark("without effect here: " + base::join(found, ", "));
}

}  // namespace cli
