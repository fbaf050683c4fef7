// What the sources that register components share.
#pragma once

#include <string>

#include "konfig/registry.h"

namespace kd::data {

// A further name under which configs know what is registered already: the reference offers most
// transforms under kd.data, kd.data.py and kd.data.tf.
inline bool also_named(const std::string& qualname, const std::string& other) {
  konfig::Symbol symbol = konfig::get_symbol(qualname);
  symbol.qualname = other;
  konfig::register_symbol(std::move(symbol));
  return true;
}

}  // namespace kd::data
