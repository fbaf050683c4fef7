// Texts about places in trees, for errors. Library only.
#pragma once

#include <string>

#include "kontext/tree.h"

namespace kontext {

// An error whose text starts with a place in a tree: "a.b[3]: ...".
konfig::Error error_at(konfig::ErrorKind kind, const std::string& place,
                       const std::string& message);
template <class P>
konfig::Error error_at(konfig::ErrorKind kind, const detail::PathBase<P>& place,
                       const std::string& message) {
  return error_at(kind, place.str(), message);
}

// "a dict", "an int"
std::string with_article(std::string_view noun);

// "the dict has no key 'imag'; did you mean 'image'? (there are: image, label)"
std::string missing_text(const TreeRef& tree, const Part& part);

// "a, b, c": names of the children, cut when there are many.
std::string children_text(const TreeRef& tree);

}  // namespace kontext
