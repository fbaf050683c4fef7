#include "tfimm/train/dump_config.h"

#include "base/durable.h"
#include "konfig/json.h"
#include "tfimm/train/values_impl.h"
#include "tfimm/train/yaml_write_impl.h"

namespace tfimm::train {

namespace {

std::string flat_text(const Dict& cfg) {
  std::string out;
  for (auto& [key, value] : deep_to_flat(cfg)) {
    // None is what a flag cannot say for most types, and what a field has without it.
    if (value.is_none()) continue;
    out += "--" + key.as<std::string>() + "=" + detail::str(value) + "\n";
  }
  return out;
}

}  // namespace

std::string to_text(const Value& cfg, TextFormat format) {
  const Dict nested = to_dict_format(cfg);
  switch (format) {
    case TextFormat::yaml:
      return detail::to_yaml(nested);
    case TextFormat::flat:
      return flat_text(nested);
    case TextFormat::json:
      return konfig::to_json(nested, {.indent = 2}) + "\n";
  }
  return "";
}

void dump_config(const Value& cfg, const std::filesystem::path& file) {
  const std::string text = to_text(cfg, TextFormat::yaml);
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  base::replace_file(file, text);
}

}  // namespace tfimm::train
