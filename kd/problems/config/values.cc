// Values of config fields that mean more than themselves.
#include "base/join.h"
#include "base/shape_text.h"
#include "kd/problems/lower_impl.h"
#include "kd/problems/values_impl.h"
#include "konfig/error.h"
#include "konfig/konfig.h"
#include "konfig/load.h"

namespace kd::problems {

using konfig::Error;
using konfig::ErrorKind;

void require_class(const std::string& name, std::string_view roles) {
  const auto* entry = tfimm::train::find_entry(name);
  if (!name.empty() && (!entry || entry->is_class)) return;
  const auto names = tfimm::train::class_names(roles.substr(0, roles.find(' ')));
  throw Error(ErrorKind::value,
              (name.empty() ? "no class is chosen, its name is empty"
                            : "'" + name + "' is a config, and makes no objects") +
                  (names.empty() ? "" : "; choose " + base::join_or(names)));
}

DType dtype_of(const std::string& name, const char* field) {
  DType out = DType::float32;
  try {
    konfig::load(konfig::type_of<DType>(), &out, konfig::Value(name));
  } catch (const Error& e) {
    throw e.within(field);
  }
  return out;
}

void check_size(const std::vector<int>& size, const char* field) {
  if (size.empty() || (size.size() == 2 && size[0] > 0 && size[1] > 0)) return;
  throw Error(
      ErrorKind::value, field,
      "expected height and width, such as (28, 28), or () for any, got " + base::tuple_text(size));
}

void check_count(int value, const char* field, const std::string& otherwise) {
  if (value == -1 || value > 0) return;
  throw Error(
      ErrorKind::value, field,
      "expected a whole number above 0, or -1 for " + otherwise + ", got " + std::to_string(value));
}

void check_number(double value, const char* field, double most) {
  if (value >= 0 && value <= most) return;
  const bool has_most = most != std::numeric_limits<double>::max();
  throw Error(ErrorKind::value, field,
              (has_most ? "expected a number from 0 to " + konfig::Value(most).repr()
                        : std::string("expected a finite number of 0 or more")) +
                  ", got " + konfig::Value(value).repr());
}

}  // namespace kd::problems
