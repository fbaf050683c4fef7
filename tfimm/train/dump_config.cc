#include "tfimm/train/dump_config.h"

#include "base/durable.h"
#include "base/replace_all.h"
#include "base/shell_quote.h"
#include "konfig/json.h"
#include "tfimm/train/values_impl.h"
#include "tfimm/train/yaml_write_impl.h"

namespace tfimm::train {

namespace {

// Whether a flag can say None. A text field takes the word as text, and has None only where nobody
// gives a value.
bool can_be_none(const ConfigClassPtr& cls, const std::string& name) {
  const Field* field = cls ? cls->find(name) : nullptr;
  return field && field->nullable && !field->open && field->type != FieldType::text &&
         field->type != FieldType::any && field->type != FieldType::config;
}

// As xargs reads it; a shell does, too, but for line breaks, which xargs does not take in quotes.
std::string quoted(const std::string& text) {
  return base::replace_all(base::shell_quote(text), "\n", "'\\\n'");
}

void add_flags(const Value& cfg, const std::string& prefix, std::string& out) {
  const ConfigClassPtr cls = class_of(cfg);
  for (auto& [key, value] : cls ? fields_of(cfg) : cfg.as<Dict>()) {
    const std::string name = key.as<std::string>();
    if (value.is<Dict>() || class_of(value)) {
      add_flags(value, prefix + name + ".", out);
    } else if (!value.is_none() || can_be_none(cls, name)) {
      const std::string text = detail::str(value);
      out += "--" + prefix + name + "=" + (text.empty() ? "" : quoted(text)) + "\n";
    }
  }
}

std::string flat_text(const Value& cfg) {
  std::string out;
  add_flags(cfg, "", out);
  return out;
}

}  // namespace

std::string to_text(const Value& cfg, TextFormat format) {
  switch (format) {
    case TextFormat::yaml:
      return detail::to_yaml(to_dict_format(cfg));
    case TextFormat::flat:
      return flat_text(cfg);
    case TextFormat::json:
      return konfig::to_json(to_dict_format(cfg), {.indent = 2}) + "\n";
  }
  return "";
}

void dump_config(const Value& cfg, const std::filesystem::path& file) {
  const std::string text = to_text(cfg, TextFormat::yaml);
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  base::replace_file(file, text);
}

}  // namespace tfimm::train
