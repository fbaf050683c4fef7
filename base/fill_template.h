// Text with names in braces, filled in.
//
//   auto value = [](std::string_view name) { return name == "a" ? "1" : "2"; };
//   fill_template("{a}/{b}.model", value);     // "1/2.model"
//
// "{{" and "}}" stand for braces. What `value` throws for a name is passed on. Where nothing closes
// a brace, the rest of the text is the name, with that brace before it, which no name has: "{b".
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace base {

std::string fill_template(std::string_view text,
                          const std::function<std::string(std::string_view name)>& value);

}  // namespace base
