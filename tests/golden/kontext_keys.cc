// The keys cases: classes are described by data, so their run-time table is made by hand. Every
// field is a konfig::Value, as in Python; a field annotated as a key is called kontext::Key.
#include "kontext/keys.h"

#include "konfig/make_type.h"
#include "tests/golden/kontext_codec.h"
#include "tests/golden/kontext_groups.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Field;
using konfig::List;
using konfig::Type;
using konfig::Value;

const Type& any_value() { return konfig::type_of<Value>(); }
const Type& key_value() {
  static const Type type = [] {
    Type t = konfig::type_of<Value>();
    t.name = konfig::type_name<kontext::Key>;
    return t;
  }();
  return type;
}

class KeyedObject {
 public:
  explicit KeyedObject(const Dict& args) {
    if (const Value* base = args.find("base_fields")) add(base->as<List>());
    add(args.at("fields").as<List>());
    values_.resize(names_.size());
    Dict given = decode(args.at("values")).as<Dict>();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Value* value = given.find(names_[i]);
      values_[i] = value ? *value : defaults_[i];
      fields_.push_back({names_[i], i * sizeof(Value), keys_[i] ? key_value : any_value});
    }
    type_.name = "Keyed";
    type_.kind = konfig::Kind::record;
    type_.fields = fields_;
    if (const Value* hook = args.find("keys_hook")) hook_ = hook->as<Dict>();
  }

  bool is_annotated() const { return hook_ || kontext::detail::has_keys(type_); }
  kontext::KeyPaths keypaths() const {
    return hook_ ? *hook_ : kontext::detail::keypaths_of(type_, values_.data());
  }

 private:
  void add(const List& fields) {
    for (auto& json : fields) {
      const Dict& field = json.as<Dict>();
      const std::string& name = field.at("name").as<std::string>();
      const std::string& annotation = field.at("type").as<std::string>();
      std::size_t i = 0;
      while (i < names_.size() && names_[i] != name) ++i;
      if (i == names_.size()) {
        names_.push_back(name);
        keys_.push_back(false);
        defaults_.emplace_back();
      }
      keys_[i] = annotation.find("Key") != annotation.npos;
      const Value* otherwise = field.find("default");
      defaults_[i] = otherwise ? *otherwise : Value();
      if (defaults_[i] == Value("REQUIRED")) defaults_[i] = std::string(kontext::Key::kRequired);
    }
  }

  std::vector<std::string> names_;
  std::vector<bool> keys_;
  std::vector<Value> defaults_, values_;
  std::vector<Field> fields_;
  Type type_;
  std::optional<Dict> hook_;
};

kontext::Signature decode_signature(const List& parameters) {
  kontext::Signature out;
  for (auto& json : parameters) {
    const std::string& text = json.as<std::string>();
    if (text.starts_with("**")) {
      out.open = true;
    } else if (text != "*") {
      out.parameters.push_back({text.substr(0, text.find('=')), text.find('=') != text.npos});
    }
  }
  return out;
}

// The cases list names in alphabetical order.
Dict sorted(const std::vector<std::pair<std::string, Value>>& items) {
  auto copy = items;
  std::sort(copy.begin(), copy.end(), [](auto& a, auto& b) { return a.first < b.first; });
  Dict out;
  for (auto& [name, value] : copy) out.set(name, value);
  return out;
}

}  // namespace

std::vector<Mismatch> run_keys(const Dict& args, const Dict& outputs) {
  std::vector<Mismatch> out;
  KeyedObject object(args);
  compare(out, "is_key_annotated", outputs.at("is_key_annotated"),
          [&] { return object.is_annotated(); });
  compare(out, "keypaths", outputs.at("keypaths"), [&] {
    std::vector<std::pair<std::string, Value>> items;
    for (auto& [name, key] : object.keypaths())
      items.emplace_back(name.as<std::string>(), encode(key));
    return sorted(items);
  });
  compare(out, "resolved", outputs.at("resolved"), [&] {
    Value context = decode(args.at("context"));
    std::optional<kontext::Signature> signature;
    if (const Value* func = args.find("func")) signature = decode_signature(func->as<List>());
    std::vector<std::pair<std::string, Value>> items;
    auto resolved = kontext::detail::resolve(context, object.keypaths(), "Keyed",
                                             signature ? &*signature : nullptr);
    for (auto& [name, found] : resolved) items.emplace_back(name, encode(found.value()));
    return sorted(items);
  });
  return out;
}

}  // namespace golden
