#include "cli/output.h"

#include "cli/errors.h"
#include "konfig/json.h"
#include "konfig/print.h"
#include "konfig/yaml.h"
#include "kontext/get.h"

namespace cli {

std::string formatted(const konfig::Value& value, Notation notation) {
  std::string text = notation == Notation::json   ? konfig::to_json(value, {.indent = 2})
                     : notation == Notation::yaml ? konfig::to_yaml(value)
                                                  : konfig::repr(value);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

konfig::Value part_of(const konfig::Value& value, const std::string& path) {
  if (path.empty()) return value;
  try {
    return kontext::get_by_path(value, path).value();
  } catch (const kontext::ParseError& e) {
    throw UsageError(e.what());
  } catch (const konfig::Error& e) {
    // "optimizer.b9: ..." seen from the config.
    if (!e.path().empty()) throw;
    throw konfig::Error(e.kind(), konfig::join_path("cfg", e.what()));
  }
}

}  // namespace cli
