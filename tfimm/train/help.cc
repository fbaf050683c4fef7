// Help and completion.
#include "base/join.h"
#include "tfimm/train/help_impl.h"
#include "tfimm/train/registry.h"
#include "tfimm/train/values_impl.h"

namespace tfimm::train::detail {
namespace {

std::string upper_type(const KnownFlag& flag) {
  if (!flag.chooses.empty()) return "CLASS";
  switch (flag.field.type) {
    case FieldType::integer:
      return "INT";
    case FieldType::floating:
      return "FLOAT";
    case FieldType::boolean:
      return "BOOL";
    case FieldType::tuple:
      return "TUPLE";
    default:
      return "TEXT";
  }
}

std::string about(const KnownFlag& flag) {
  std::string out = flag.doc;
  if (!flag.chooses.empty()) {
    const auto names = class_names(flag.chooses);
    if (!names.empty()) out += (out.empty() ? "" : "; ") + ("one of " + base::join(names, ", "));
  }
  out += out.empty() ? "" : " ";
  return out + (flag.otherwise ? "(default: " + str(*flag.otherwise) + ")" : "(required)");
}

}  // namespace

std::string help_text(const std::vector<KnownFlag>& flags) {
  std::size_t width = 10;
  auto left = [](const KnownFlag& flag) { return "--" + flag.name + "=" + upper_type(flag); };
  for (const KnownFlag& flag : flags) width = std::max(width, left(flag).size());
  // Far to the right nobody looks for it.
  width = std::min<std::size_t>(width, 44);
  std::string out = "Flags, as --flag=value or --flag value; choosing a class adds its own:\n";
  auto line = [&](std::string text, const std::string& help) {
    text.insert(0, "  ");
    if (text.size() > width + 2) {
      out += text + "\n" + std::string(width + 4, ' ');
    } else {
      out += text + std::string(width + 4 - text.size(), ' ');
    }
    out += help + "\n";
  };
  for (const KnownFlag& flag : flags) line(left(flag), about(flag));
  line("-h, --help", "Show this text");
  return out;
}

std::vector<std::string> completions(const std::vector<KnownFlag>& flags, const std::string& word) {
  std::vector<std::string> out;
  for (const KnownFlag& flag : flags) {
    const std::string start = "--" + flag.name + "=";
    if (!word.starts_with(start)) {
      if (start.starts_with(word)) out.push_back(start);
      continue;
    }
    std::vector<std::string> values;
    if (!flag.chooses.empty()) values = class_names(flag.chooses);
    if (flag.field.type == FieldType::boolean) values = {"false", "true"};
    for (const std::string& value : values) {
      if ((start + value).starts_with(word)) out.push_back(start + value);
    }
  }
  return out;
}

}  // namespace tfimm::train::detail
