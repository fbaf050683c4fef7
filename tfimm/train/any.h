// Any: a config of any class, in a field beside the name of the class it configures.
//
//   struct ExperimentConfig {
//     Any problem;
//     Required<std::string> problem_class;
//   };
//   ExperimentConfig cfg{.problem = ClassificationConfig{.nb_classes = 10},
//                        .problem_class = "ClassificationProblem"};
//   cfg.problem.as<ClassificationConfig>().nb_classes;
//
// It behaves like a value: copies are independent. An empty one is Python's None.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "konfig/fields.h"
#include "konfig/make_type.h"
#include "konfig/poly.h"
#include "konfig/value.h"
#include "tfimm/train/field_types.h"

namespace tfimm::train {

// A field that must be given: `Required<int> nb_classes;`.
using konfig::Required;

class Any : public konfig::PolyBase {
 public:
  using Interface = Any;  // what tables and errors call it
  static constexpr konfig::Kind konfig_kind = konfig::Kind::poly;
  static constexpr std::string_view konfig_name = "a config";

  Any() = default;
  Any(std::nullptr_t) {}
  Any(konfig::None) {}
  template <konfig::Record T>
  requires(!std::derived_from<T, konfig::PolyBase> && !std::same_as<T, konfig::None>) Any(T config)
      : PolyBase(make(std::move(config))) {}
  // A config object as the conversions of tfimm/train/formats.h make it, or None. Anything else is
  // an Error.
  static Any from_value(const konfig::Value& object);
  konfig::Value value() const;

  template <class T>
  bool holds() const {
    return PolyBase::holds(konfig::type_name<T>);
  }
  // The config, which must be a T: an Error otherwise.
  template <class T>
  const T& as() const {
    return *static_cast<const T*>(get(konfig::type_name<T>));
  }
  template <class T>
  T& as() {
    return *static_cast<T*>(get_to_write(konfig::type_name<T>));
  }

  // Same class, same values.
  friend bool operator==(const Any& a, const Any& b);

 private:
  template <class T>
  static std::shared_ptr<konfig::detail::Spec> make(T config) {
    if constexpr (check_config<T>()) {
      return konfig::detail::make_spec(konfig::type_of<T>(), &config);
    } else {
      return nullptr;
    }
  }
};

}  // namespace tfimm::train
