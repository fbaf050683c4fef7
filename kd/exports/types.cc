// Checks of the exporter's fields, and the folder that they name.
#include <algorithm>
#include <utility>

#include "kd/exports/exporter.h"
#include "konfig/error.h"

namespace kd::exports {

using konfig::Error;
using konfig::ErrorKind;

namespace {

std::string filled(const std::string& field, const std::string& text,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('{', at);
    out += text.substr(at, open - at);
    if (open == text.npos) break;
    const std::size_t close = text.find('}', open);
    const std::string name = text.substr(open + 1, close - open - 1);
    auto value = std::ranges::find(values, name, &std::pair<std::string, std::string>::first);
    if (close == text.npos || value == values.end()) {
      throw Error(ErrorKind::value, field,
                  "expected {workdir}, {name} or {train_or_eval} in braces, got " +
                      text.substr(open, close == text.npos ? close : close - open + 1));
    }
    out += value->second;
    at = close + 1;
  }
  return out;
}

}  // namespace

std::filesystem::path ModelExporter::folder(const std::filesystem::path& workdir) const {
  const bool other = !path_template.empty();
  const std::string& text = other ? path_template : path;
  if (text.empty()) return workdir / name;
  return filled(other ? "path_template" : "path", text,
                {{"workdir", workdir.string()}, {"name", name}, {"train_or_eval", "train"}});
}

void ModelExporter::konfig_post_resolve(const konfig::ConfigDict&) const {
  if (model_method && *model_method != "__call__") {
    throw Error(ErrorKind::unsupported, "model_method",
                "expected None: a module has one method, __call__; wrap the model in one that "
                "calls '" +
                    *model_method + "'");
  }
  if (!path.empty() && !path_template.empty()) {
    throw Error(ErrorKind::value, "path_template", "path is set, too; they name the same folder");
  }
  folder("");
}

}  // namespace kd::exports
