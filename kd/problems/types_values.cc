// Values of config fields that mean more than themselves.
#include "kd/problems/values_impl.h"
#include "konfig/error.h"
#include "konfig/konfig.h"
#include "konfig/load.h"

namespace kd::problems {

using konfig::Error;
using konfig::ErrorKind;

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
  throw Error(ErrorKind::value, field,
              "expected height and width, such as (28, 28), or () for any, got " +
                  std::to_string(size.size()) + " numbers");
}

void check_count(int value, const char* field, const std::string& otherwise) {
  if (value == -1 || value > 0) return;
  throw Error(
      ErrorKind::value, field,
      "expected a whole number above 0, or -1 for " + otherwise + ", got " + std::to_string(value));
}

void check_rate(double value, const char* field) {
  if (value >= 0 && value <= 1) return;
  throw Error(ErrorKind::value, field,
              "expected a number from 0 to 1, got " + konfig::Value(value).repr());
}

}  // namespace kd::problems
