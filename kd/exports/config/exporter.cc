// Checks of the exporter's fields, and the folder that they name.
#include <map>

#include "base/fill_template.h"
#include "kd/exports/exporter.h"
#include "konfig/error.h"

namespace kd::exports {

using konfig::Error;
using konfig::ErrorKind;

namespace {

std::string filled(const std::string& field, const std::string& text,
                   const std::map<std::string, std::string, std::less<>>& values) {
  return base::fill_template(text, [&](std::string_view name) {
    const auto value = values.find(name);
    if (value != values.end()) return value->second;
    throw Error(ErrorKind::value, field,
                "expected {workdir}, {name} or {train_or_eval}, got " +
                    (name.starts_with('{') ? std::string(name) : "{" + std::string(name) + "}"));
  });
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
