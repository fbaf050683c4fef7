// Implementations of kd's interfaces stand in konfig's table; here are the words for what is
// missing.
#include "kd/core/implement.h"

#include <string>

#include "konfig/error.h"
#include "konfig/implement.h"

namespace kd::detail {

bool implement(std::string_view interface, std::string_view type, const void* ops) {
  return konfig::detail::implement(interface, type, ops);
}

bool is_implemented(std::string_view interface, std::string_view type) {
  return konfig::detail::try_find_ops(interface, type) != nullptr;
}

const void* find_ops(std::string_view interface, const konfig::PolyBase& component) {
  if (!component) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "a " + std::string(interface) + " is used that was not set");
  }
  if (const void* ops = konfig::detail::try_find_ops(interface, component.type()->name)) return ops;
  throw konfig::Error(konfig::ErrorKind::unsupported,
                      std::string(component.type()->name) + " can be configured but not run: no " +
                          "KD_IMPLEMENT(" + std::string(interface) + ", ...) was loaded for it");
}

}  // namespace kd::detail
