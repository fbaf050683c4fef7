// Inputs of the golden cases: from their JSON notation to values.
#include "base/join.h"
#include "konfig/reference.h"
#include "tests/golden/konfig_codec.h"
#include "tests/golden/konfig_toys.h"

namespace golden {
namespace {

using konfig::CellType;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::List;
using konfig::Op;
using konfig::Reference;
using konfig::Tuple;
using konfig::Value;

const std::map<std::string, Op>& operators() {
  static const std::map<std::string, Op> table = {
      {"+", Op::add},       {"-", Op::sub},     {"*", Op::mul},  {"/", Op::div},
      {"//", Op::floordiv}, {"%", Op::mod},     {"**", Op::pow}, {"&", Op::bit_and},
      {"|", Op::bit_or},    {"^", Op::bit_xor}, {"==", Op::eq},  {"!=", Op::ne},
      {"<", Op::lt},        {"<=", Op::le},     {">", Op::gt},   {">=", Op::ge}};
  return table;
}

CellType cell_type(const std::string& name) {
  static const std::map<std::string, CellType> table = {
      {"int", CellType::integer},  {"float", CellType::number},   {"str", CellType::text},
      {"bool", CellType::boolean}, {"object", CellType::any},     {"tuple", CellType::tuple},
      {"list", CellType::list},    {"ConfigDict", CellType::dict}};
  auto it = table.find(name);
  if (it == table.end()) throw UnknownNotation("placeholder of type " + name);
  return it->second;
}

konfig::Bytes latin1(const std::string& utf8) {
  konfig::Bytes out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(utf8[i]);
    if (c >= 0x80) {
      c = static_cast<unsigned char>((c << 6) | (static_cast<unsigned char>(utf8[++i]) & 0x3F));
    }
    out.data += static_cast<char>(c);
  }
  return out;
}

konfig::Slice slice(const List& v) {
  auto part = [&](std::size_t i) -> std::optional<std::int64_t> {
    if (i >= v.size() || v[i].is_none()) return std::nullopt;
    return v[i].as<std::int64_t>();
  };
  if (v.size() == 1) return {.start = {}, .stop = part(0), .step = {}};
  return {.start = part(0), .stop = part(1), .step = part(2)};
}

konfig::RefFunction function(const std::string& name) {
  if (name == "sum2") {
    return [](std::span<const Value> a) { return python_add(a[0], a[1]); };
  }
  if (name == "join") {
    return [](std::span<const Value> a) -> Value {
      return base::join(a[0].as<List>(), "/",
                        [](const Value& part) { return part.as<std::string>(); });
    };
  }
  if (name == "node") {
    return [](std::span<const Value> a) -> Value { return ConfigDict{{"v", a[0]}}; };
  }
  throw UnknownNotation("function " + name);
}

Value opaque() { return make_object({.qualname = "builtins:object"}); }

double number(const Value& v) {
  return v.is<double>() ? v.as<double>() : static_cast<double>(v.as<std::int64_t>());
}

double special_float(const std::string& text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  double inf = std::numeric_limits<double>::infinity();
  return text[0] == '-' ? -inf : inf;
}

}  // namespace

Env::~Env() {
  for (auto& [name, value] : vars_) {
    auto* cfg = value.get_if<ConfigDict>();
    if (!cfg) continue;
    ConfigDict handle = *cfg;
    for (const Value& key : handle.keys()) handle.erase(key);
  }
}

const Value& Env::operator[](const std::string& name) const {
  auto it = vars_.find(name);
  if (it == vars_.end()) throw NotRun(name);
  return it->second;
}

Value Env::walk(const Value& path, std::size_t drop) const {
  const List& parts = path.as<List>();
  Value at = (*this)[parts[0].as<std::string>()];
  for (std::size_t i = 1; i + drop < parts.size(); ++i) at = item_of(at, decode(parts[i]));
  return at;
}

Value Env::decode(const Value& json) const {
  if (auto* list = json.get_if<List>()) {
    List out;
    for (const Value& x : *list) out.push_back(decode(x));
    return out;
  }
  auto* dict = json.get_if<Dict>();
  if (!dict) return json;
  if (dict->size() > 0 && dict->begin()->first.as<std::string>().starts_with('$')) {
    return decode_tagged(dict->begin()->first.as<std::string>(), *dict);
  }
  Dict out;
  for (const auto& [k, v] : *dict) out.set(k, decode(v));
  return out;
}

Value Env::decode_tagged(const std::string& tag, const Dict& json) const {
  const Value& v = json.begin()->second;
  auto items = [&] {
    std::vector<Value> out;
    for (const Value& x : v.as<List>()) out.push_back(decode(x));
    return out;
  };
  if (tag == "$tuple") return Tuple(items());
  if (tag == "$set") return konfig::Set(items());
  if (tag == "$frozenset") return konfig::Set(items(), true);
  if (tag == "$bytes") return latin1(v.as<std::string>());
  if (tag == "$slice") return slice(v.as<List>());
  if (tag == "$ellipsis") return konfig::Ellipsis{};
  if (tag == "$path") return std::filesystem::path(v.as<std::string>());
  if (tag == "$complex") return konfig::Complex{number(v.as<List>()[0]), number(v.as<List>()[1])};
  if (tag == "$float") return special_float(v.as<std::string>());
  if (tag == "$object" || tag == "$nparray") return opaque();
  if (tag == "$dict") {
    Dict out;
    for (const Value& pair : v.as<List>()) {
      out.set(decode(pair.as<List>()[0]), decode(pair.as<List>()[1]));
    }
    return out;
  }
  if (tag == "$np") {  // only float64 is a plain number
    const List& parts = v.as<List>();
    bool plain = parts.size() == 2 && parts[0].as<std::string>() == "float64";
    return plain ? Value(number(parts[1])) : opaque();
  }
  if (tag == "$call" || tag == "$partial") {
    const List& parts = v.as<List>();
    Dict out;
    std::size_t position = 0;
    if (tag == "$call") {
      out.set(konfig::kQualname, parts[0]);
    } else {
      out.set(konfig::kQualname, "functools:partial");
      out.set(std::to_string(position++), opaque());  // the function itself
    }
    for (const Value& x : parts[1].as<List>()) out.set(std::to_string(position++), decode(x));
    for (const auto& [k, x] : decode(parts[2]).as<Dict>()) out.set(k, x);
    return tag == "$call" ? Value(ConfigDict(out)) : Value(out);
  }
  if (tag == "$const") return konfig::constant(v.as<std::string>());
  if (tag == "$var") return (*this)[v.as<std::string>()];
  if (tag == "$node") return walk(v);
  return decode_reference(tag, json);
}

Value Env::decode_op(const List& parts) const {
  const std::string& name = parts[0].as<std::string>();
  Value x = decode(parts[1]);
  if (name == "not") return !truth(x);
  if (name == "neg") return -x.as<Reference>();
  if (name == "abs") return abs(x.as<Reference>());
  auto it = operators().find(name);
  if (it == operators().end()) throw UnknownNotation("operator " + name);
  Value y = decode(parts[2]);
  if (x.is<Reference>() || y.is<Reference>()) return binary(it->second, x, y);
  ConfigDict holder;
  holder.set("x", x);
  return binary(it->second, holder.ref("x"), y).get();
}

Value Env::decode_reference(const std::string& tag, const Dict& json) const {
  const Value& v = json.begin()->second;
  auto part = [&](std::size_t i) -> const Value& { return v.as<List>()[i]; };
  auto rest = [&](std::size_t from) {
    std::vector<Value> out;
    for (std::size_t i = from; i < v.as<List>().size(); ++i) out.push_back(decode(part(i)));
    return out;
  };
  if (tag == "$ref") {
    Reference ref = (*this)[part(0).as<std::string>()].as<ConfigDict>().ref();
    for (std::size_t i = 1; i < v.as<List>().size(); ++i) ref = ref.item(part(i));
    return ref;
  }
  if (tag == "$op") return decode_op(v.as<List>());
  if (tag == "$item" || tag == "$attr") {
    Value base = decode(part(0));
    if (auto* ref = base.get_if<Reference>()) return ref->item(part(1));
    return item_of(base, part(1));
  }
  if (tag == "$apply") {  // a call of a method is the only call there is
    const Dict& target = part(0).as<Dict>();
    const Value* attr = target.find("$attr");
    if (!attr) throw UnknownNotation("call of something else than a method");
    Value base = decode(attr->as<List>()[0]);
    return base.as<Reference>().method(attr->as<List>()[1].as<std::string>(), rest(1));
  }
  if (tag == "$method") {
    Value base = decode(part(0));
    const std::string& name = part(1).as<std::string>();
    const Reference& ref = base.as<Reference>();
    if (name == "to_int") return ref.to_int();
    if (name == "to_float") return ref.to_float();
    if (name == "to_str") return ref.to_str();
    throw UnknownNotation("method " + name);
  }
  if (tag == "$get_ref" || tag == "$oneway") {
    ConfigDict cfg = (*this)[part(0).as<std::string>()].as<ConfigDict>();
    return tag == "$get_ref" ? cfg.get_ref(part(1)) : cfg.get_oneway_ref(part(1));
  }
  // `konfig.required(T)` of the reference reads as None, like any placeholder.
  if (tag == "$required") return placeholder(cell_type(v.as<std::string>()));
  if (tag == "$placeholder") {
    konfig::PlaceholderOptions options;
    if (auto* r = json.find("required")) options.required = r->as<bool>();
    if (auto* d = json.find("default")) options.initial = decode(*d);
    return placeholder(cell_type(v.as<std::string>()), options);
  }
  if (tag == "$ref_fn") {
    const std::string& name = part(0).as<std::string>();
    return konfig::ref_fn(function(name), rest(1), name);
  }
  throw UnknownNotation(tag);
}

Value item_of(const Value& container, const Value& key) {
  if (auto* cfg = container.get_if<ConfigDict>()) return cfg->get(key);
  if (auto* ref = container.get_if<Reference>()) return ref->item(key);
  if (auto* dict = container.get_if<Dict>()) return dict->at(key);
  auto at = [&](const konfig::Sequence& items) -> Value {
    std::int64_t i = key.as<std::int64_t>();
    auto size = static_cast<std::int64_t>(items.size());
    if (i < 0) i += size;
    if (i < 0 || i >= size) throw Error(ErrorKind::index, "index out of range");
    return items[static_cast<std::size_t>(i)];
  };
  if (auto* list = container.get_if<List>()) return at(*list);
  if (auto* tuple = container.get_if<Tuple>()) return at(*tuple);
  throw Error(ErrorKind::type, "not a container: " + container.repr());
}

bool truth(const Value& value) {
  if (auto* ref = value.get_if<Reference>()) return static_cast<bool>(*ref);
  if (auto* b = value.get_if<bool>()) return *b;
  if (auto* i = value.get_if<std::int64_t>()) return *i != 0;
  if (auto* d = value.get_if<double>()) return *d != 0;
  if (auto* s = value.get_if<std::string>()) return !s->empty();
  if (auto* l = value.get_if<List>()) return !l->empty();
  if (auto* t = value.get_if<Tuple>()) return !t->empty();
  if (auto* c = value.get_if<ConfigDict>()) return !c->empty();
  if (auto* m = value.get_if<Dict>()) return m->size() > 0;
  return !value.is_none();
}

}  // namespace golden
