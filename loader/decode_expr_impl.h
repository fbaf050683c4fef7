// The expressions behind `__ref__`, as references.
#pragma once

#include "konfig/reference.h"
#include "konfig/value.h"

namespace loader {

// What an expression may name.
class Scope {
 public:
  virtual ~Scope() = default;
  virtual konfig::Value value(const konfig::Value& encoded) = 0;  // a constant
  virtual konfig::Reference root() = 0;
  virtual konfig::Reference node(const konfig::Value& id) = 0;
  virtual konfig::Reference cell(const konfig::Value& number) = 0;
};

// A Reference, or a constant when nothing in it can change.
konfig::Value expression(const konfig::Value& encoded, Scope& scope);

}  // namespace loader
