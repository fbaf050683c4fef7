// What the lowering of all classes shares. Library only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kd/problems/classes.h"
#include "konfig/error.h"

namespace kd::problems {

// What `f` gives; an Error that it throws starts with the place: "problem.optimizer".
template <class F>
auto within(const char* place, const F& f) {
  try {
    return f();
  } catch (const konfig::Error& e) {
    throw *place ? e.within(place) : e;
  }
}

// An Error with the names that are possible, where none is chosen or that of a config is.
void require_class(const std::string& name, std::string_view roles);

// An object of a registered class, which must be of the kind `Base`: "a dataset".
template <class Base>
std::shared_ptr<Base> make(const std::string& name, const Any& cfg, const char* kind,
                           const char* place = "") {
  return within(place, [&] {
    require_class(name, Base::cfg_role);
    const auto cls = tfimm::train::get_class(name);
    if (tfimm::train::find_entry(name)->interface != konfig::type_name<Base>) {
      throw konfig::Error(
          konfig::ErrorKind::type,
          name + " is not " + kind + "; one derives from " + std::string(konfig::type_name<Base>));
    }
    return cls(cfg).template share<Base>();
  });
}

}  // namespace kd::problems
