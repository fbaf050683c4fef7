// The toy module of the golden cases.
#include "tests/golden/konfig_toys.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "konfig/json.h"
#include "konfig/reference.h"

namespace golden {
namespace {

using konfig::Arguments;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Object;
using konfig::Symbol;
using konfig::Tuple;
using konfig::Value;

struct Parameter {
  std::string name;
  std::optional<Value> otherwise = {};
};

// Python's binding of arguments to parameters.
std::vector<std::pair<std::string, Value>> bind(const std::string& function, const Arguments& args,
                                                const std::vector<Parameter>& parameters) {
  if (args.positional.size() > parameters.size()) {
    throw Error(ErrorKind::type, function + ": too many arguments");
  }
  for (const auto& [name, value] : args.keyword) {
    bool known = false;
    for (const Parameter& p : parameters) known = known || p.name == name;
    if (!known) throw Error(ErrorKind::type, function + ": unexpected argument '" + name + "'");
  }
  std::vector<std::pair<std::string, Value>> out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::optional<Value> value = parameters[i].otherwise;
    if (i < args.positional.size()) value = args.positional[i];
    for (const auto& [name, v] : args.keyword) {
      if (name == parameters[i].name) value = v;
    }
    if (!value) throw Error(ErrorKind::type, function + ": missing '" + parameters[i].name + "'");
    out.emplace_back(parameters[i].name, *value);
  }
  return out;
}

Symbol record(const std::string& qualname) {
  return {.qualname = qualname, .construct = [qualname](const Arguments& a) {
            return make_object(
                {.qualname = qualname, .args = a.positional, .kwargs = a.keyword, .record = true});
          }};
}

Value make_dict(const Arguments& a) {
  Dict out;
  if (!a.positional.empty()) {
    const Value& pairs = a.positional[0];
    auto add = [&](const auto& items) {
      for (const Value& item : items) {
        if (auto* t = item.get_if<Tuple>()) out.set((*t)[0], (*t)[1]);
        if (auto* l = item.get_if<List>()) out.set((*l)[0], (*l)[1]);
      }
    };
    if (auto* d = pairs.get_if<Dict>()) {
      for (const auto& [k, v] : *d) out.set(k, v);
    }
    if (auto* t = pairs.get_if<Tuple>()) add(*t);
    if (auto* l = pairs.get_if<List>()) add(*l);
  }
  for (const auto& [k, v] : a.keyword) out.set(k, v);
  return out;
}

Value make_tuple(const Arguments& a) {
  if (a.positional.empty()) return Tuple{};
  if (auto* t = a.positional[0].get_if<Tuple>()) return *t;
  const List& list = a.positional[0].as<List>();
  return Tuple(std::vector<Value>(list.begin(), list.end()));
}

void add_symbol(Symbol symbol) {
  if (!konfig::find_symbol(symbol.qualname)) konfig::register_symbol(std::move(symbol));
}

void register_builtins() {
  add_symbol({.qualname = "builtins:dict", .construct = make_dict});
  add_symbol({.qualname = "builtins:tuple", .construct = make_tuple});
  add_symbol({.qualname = "math:sqrt", .construct = [](const Arguments& a) -> Value {
                const Value& x = a.positional.at(0);
                return std::sqrt(x.is<double>() ? x.as<double>()
                                                : static_cast<double>(x.as<std::int64_t>()));
              }});
  add_symbol({.qualname = "math:pi", .constant = std::numbers::pi});
  add_symbol({.qualname = "pathlib:PurePosixPath", .construct = [](const Arguments& a) -> Value {
                std::filesystem::path path;
                for (const Value& part : a.positional) path /= part.as<std::string>();
                return path;
              }});
}

}  // namespace

Value make_object(Toy toy) {
  return Object{.type = nullptr, .ptr = std::make_shared<Toy>(std::move(toy))};
}

const Toy* toy_of(const Value& value) {
  const Object* object = value.get_if<Object>();
  if (!object || object->type) return nullptr;
  return static_cast<const Toy*>(object->ptr.get());
}

std::string_view symbol_tag(std::string_view qualname) {
  auto last = qualname.substr(qualname.find_last_of(":.") + 1);
  bool upper = !last.empty() && last[0] >= 'A' && last[0] <= 'Z';
  return upper || last == "dict" || last == "tuple" ? "$type" : "$function";
}

Value python_add(const Value& left, const Value& right) {
  konfig::ConfigDict holder;
  holder.set("left", left);
  return (holder.ref("left") + right).get();
}

void register_toys() {
  register_builtins();
  add_symbol(record("toys:Record"));
  add_symbol(record("toys:Outer.Inner"));
  add_symbol({.qualname = "toys:CONSTANT", .constant = Value(42)});
  add_symbol({.qualname = "toys:Outer"});
  add_symbol({.qualname = "toys:Point", .construct = [](const Arguments& a) {
                return make_object({.qualname = "toys:Point",
                                    .kwargs = bind("Point", a, {{"x"}, {"y", Value(2)}}),
                                    .fields = true});
              }});
  add_symbol({.qualname = "toys:add", .construct = [](const Arguments& a) {
                auto values = bind("add", a, {{"a"}, {"b", Value(10)}});
                return python_add(values[0].second, values[1].second);
              }});
  add_symbol({.qualname = "toys:fail", .construct = [](const Arguments& a) -> Value {
                std::string text = "boom";
                if (!a.positional.empty()) text = a.positional[0].as<std::string>();
                for (const auto& [k, v] : a.keyword) {
                  if (k == "text") text = v.as<std::string>();
                }
                throw Error(ErrorKind::value, text);
              }});
  add_symbol({.qualname = "toys:Outer.make", .construct = [](const Arguments& a) {
                return make_object({.qualname = "toys:Record",
                                    .args = {Value("made")},
                                    .kwargs = a.keyword,
                                    .record = true});
              }});
  Symbol raw = record("toys:RawField");
  raw.raw_fields = {"raw"};
  add_symbol(raw);
  Symbol hook = record("toys:PostHook");
  hook.post_resolve = [](Value& value, const konfig::ConfigDict& cfg) {
    auto* toy = const_cast<Toy*>(toy_of(value));
    toy->kwargs.emplace_back("seen_cfg_json", Value(konfig::to_json(cfg)));
  };
  add_symbol(hook);
}

}  // namespace golden
