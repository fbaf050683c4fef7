// Words as a shell reads them.
//
//   base::shell_quote("a b")   // "'a b'"
#pragma once

#include <string>
#include <string_view>

namespace base {

// As Python's shlex.quote: a word that needs no quotes is left as it is.
std::string shell_quote(std::string_view text);

}  // namespace base
