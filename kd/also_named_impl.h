// Further names of components, for the sources that register them. Library only.
#pragma once

#include <initializer_list>
#include <string>

#include "konfig/registry.h"

namespace kd {

// A further name under which configs know what is registered already: the reference offers most
// transforms under kd.data, kd.data.py and kd.data.tf.
inline bool also_named(const std::string& qualname, const std::string& other) {
  konfig::Symbol symbol = konfig::get_symbol(qualname);
  symbol.qualname = other;
  konfig::register_symbol(std::move(symbol));
  return true;
}

// Configs import kauldron.contrib.train, or write kd.contrib.train. What has one of the names gets
// the other.
inline bool contrib_named(const std::string& area, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const std::string own = "kauldron.contrib." + area + ":" + name;
    const std::string within = "kauldron.kd:contrib." + area + "." + name;
    konfig::find_symbol(own) ? also_named(own, within) : also_named(within, own);
  }
  return true;
}

}  // namespace kd
