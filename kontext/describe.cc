// Texts about places in trees: what is missing, what is there instead.
#include <algorithm>
#include <span>

#include "base/join.h"
#include "konfig/scalar_text.h"
#include "konfig/suggest.h"
#include "kontext/describe_impl.h"

namespace kontext {
namespace {

std::vector<std::string> child_names(const TreeRef& tree) {
  std::vector<std::string> out;
  tree.each([&](const Part& part, const TreeRef&) {
    out.push_back(part.text() ? *part.text() : part.str());
    return false;
  });
  return out;
}

// All of them, or the first ones of many.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 30;
  std::string out = base::join(std::span(names).first(std::min(names.size(), kMost)), ", ");
  if (names.size() > kMost) out += ", and " + std::to_string(names.size() - kMost) + " more";
  return names.empty() ? "none" : out;
}

std::string quoted(const Part& part) {
  return part.text() ? konfig::repr_text(*part.text()) : part.name();
}

}  // namespace

std::string with_article(std::string_view noun) {
  bool vowel = !noun.empty() && std::string_view("aeiouAEIOU").find(noun.front()) != noun.npos;
  return (vowel ? "an " : "a ") + std::string(noun);
}

konfig::Error error_at(konfig::ErrorKind kind, const std::string& place,
                       const std::string& message) {
  return konfig::Error(kind, place.empty() ? message : place + ": " + message);
}

std::string children_text(const TreeRef& tree) { return listed(child_names(tree)); }

std::string missing_text(const TreeRef& tree, const Part& part) {
  std::string type(tree.type_name());
  switch (tree.shape()) {
    case Shape::list:
    case Shape::tuple:
      if (part.index()) {
        return "the " + type + " has " + std::to_string(tree.size()) +
               " item(s), there is none at " + std::to_string(*part.index());
      }
      return "the " + type + " has no " + quoted(part) +
             "; its items are reached by number: [0] to [" +
             std::to_string(std::max<std::size_t>(tree.size(), 1) - 1) + "]";
    case Shape::map:
    case Shape::record: {
      auto names = child_names(tree);
      std::string what = tree.shape() == Shape::record ? " has no field " : " has no key ";
      std::string nearest = part.text() ? konfig::did_you_mean(*part.text(), names) : "";
      return "the " + type + what + quoted(part) + nearest + " (there are: " + listed(names) + ")";
    }
    case Shape::none:
      return "None has no " + quoted(part);
    case Shape::leaf:
      break;
  }
  return "the " + type + " has no " + quoted(part);
}

}  // namespace kontext
