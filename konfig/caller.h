// Components that call a function, so that a config may name the function where a component is
// expected: `transforms = [my_lib.normalize]`.
//
// KONFIG_CALLER(Interface, "name") says which component of the interface is made then; its field
// `function` is a Callable and gets the name.
#pragma once

#include <string>
#include <string_view>

#include "konfig/register.h"

namespace konfig::detail {

bool register_caller(std::string_view interface, std::string qualname);
// The name of the interface's caller; "" when there is none.
std::string caller_of(std::string_view interface);

}  // namespace konfig::detail

#define KONFIG_CALLER(I, qualname) \
  KONFIG_RUN(konfig::detail::register_caller(konfig::type_name<I>, qualname))
