// The names that export_ writes for maps and tuples, so that exported values resolve again.
#include "konfig/print.h"
#include "konfig/registry.h"
#include "konfig/sequence.h"

namespace konfig {
namespace {

// dict([[key, value], ...], **more)
Value make_dict(const Arguments& args) {
  Dict out;
  if (args.positional.size() > 1)
    throw Error(ErrorKind::type, "dict takes at most one positional argument");
  if (!args.positional.empty()) {
    auto* pairs = as_sequence(args.positional[0]);
    if (auto* dict = args.positional[0].get_if<Dict>()) {
      for (auto& [k, v] : *dict) out.set(k, v);
    } else if (pairs) {
      for (auto& item : *pairs) {
        auto* pair = as_sequence(item);
        if (!pair || pair->size() != 2) {
          throw Error(ErrorKind::value,
                      "dict: expected a [key, value] pair, got " + shorten(item.repr(), 40));
        }
        out.set((*pair)[0], (*pair)[1]);
      }
    } else {
      throw Error(ErrorKind::type,
                  "dict: expected pairs, got " + shorten(args.positional[0].repr(), 40));
    }
  }
  for (auto& [k, v] : args.keyword) out.set(k, v);
  return out;
}

Value make_tuple(const Arguments& args) {
  if (!args.keyword.empty() || args.positional.size() > 1) {
    throw Error(ErrorKind::type, "tuple takes at most one positional argument");
  }
  if (args.positional.empty()) return Tuple();
  auto* items = as_sequence(args.positional[0]);
  if (!items) {
    throw Error(ErrorKind::type,
                "tuple: expected a list, got " + shorten(args.positional[0].repr(), 40));
  }
  return Tuple(std::vector<Value>(items->begin(), items->end()));
}

[[maybe_unused]] const bool kRegistered = [] {
  register_symbol({.qualname = "builtins:dict", .construct = make_dict});
  register_symbol({.qualname = "builtins:tuple", .construct = make_tuple});
  return true;
}();

}  // namespace
}  // namespace konfig
