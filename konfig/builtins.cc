// What Python itself gives configs: maps and tuples, which export_ writes, functools.partial, and
// the types in annotations.
#include "konfig/fields.h"
#include "konfig/print.h"
#include "konfig/register.h"
#include "konfig/registry.h"
#include "konfig/sequence.h"

namespace konfig {

// functools.partial(function, *args, **keywords): a function with some of its arguments.
struct Partial {
  static constexpr std::string_view konfig_name =
      "a functools.partial, which nothing here calls; write a function or a struct in C++ that has "
      "these arguments";
  Args<Value> args = {};  // the function first
  Kwargs<Value> keywords = {};
  void konfig_post_resolve(const ConfigDict&) const {
    if (!args.empty() && (args[0].is<SymbolName>() || args[0].is<Object>())) return;
    throw Error(ErrorKind::type, "expected a function in front, got " +
                                     (args.empty() ? "nothing" : shorten(args[0].repr(), 40)));
  }
};

// typing.Union[a, b], also written a | b.
struct Union {
  Args<Value> types = {};
};

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
  for (const char* name : {"int", "float", "str", "bool", "bytes", "complex", "list", "set",
                           "frozenset", "object", "type"}) {
    register_symbol({.qualname = "builtins:" + std::string(name)});
  }
  register_symbol({.qualname = "typing:Any"});
  return true;
}();

}  // namespace
}  // namespace konfig

KONFIG_REGISTER(konfig::Partial, "functools:partial");
KONFIG_REGISTER(konfig::Union, "typing:Union");
