// Outputs of the golden cases: values as the generator shows them.
#include <algorithm>
#include <cmath>

#include "konfig/reference.h"
#include "konfig/scalar_text.h"
#include "konfig/to_value.h"
#include "konfig/type.h"
#include "konfig/type_registry.h"
#include "tests/golden/konfig_codec.h"
#include "tests/golden/konfig_toys.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::List;
using konfig::Value;

Dict tagged(const char* tag, Value value) { return Dict{{Value(tag), std::move(value)}}; }

class Encoder {
 public:
  Value operator()(const Value& v) {
    return std::visit([&](const auto& x) { return encode(x); }, v.variant());
  }

 private:
  // None, bool, int, text and big numbers stand for themselves.
  template <class T>
  Value encode(const T& x) {
    return Value(x);
  }
  Value encode(double x) {
    if (std::isfinite(x)) return x;
    return tagged("$float", konfig::repr_float(x));
  }
  Value encode(const konfig::Complex& x) { return tagged("$complex", List{x.real, x.imag}); }
  Value encode(const konfig::Ellipsis&) { return tagged("$ellipsis", true); }
  Value encode(const std::filesystem::path& x) { return tagged("$path", x.string()); }
  Value encode(const konfig::Reference& x) { return tagged("$fieldref", x.repr()); }
  Value encode(const konfig::Bytes& x) {
    std::string latin1;
    for (unsigned char c : x.data) {
      if (c < 0x80) {
        latin1 += static_cast<char>(c);
      } else {
        latin1 += static_cast<char>(0xC0 | (c >> 6));
        latin1 += static_cast<char>(0x80 | (c & 0x3F));
      }
    }
    return tagged("$bytes", latin1);
  }
  Value encode(const konfig::Slice& x) {
    auto part = [](const std::optional<std::int64_t>& p) { return p ? Value(*p) : Value(); };
    return tagged("$slice", List{part(x.start), part(x.stop), part(x.step)});
  }
  Value encode(const konfig::Set& x) {
    auto items = all(x);
    std::sort(items.begin(), items.end(),
              [](const Value& a, const Value& b) { return a.repr() < b.repr(); });
    return tagged(x.frozen ? "$frozenset" : "$set", List(items));
  }
  Value encode(const konfig::Tuple& x) { return tagged("$tuple", List(all(x))); }
  Value encode(const List& x) { return List(all(x)); }
  Value encode(const konfig::ConfigDict& x) { return tagged("$cfg", mapping(x.items())); }
  Value encode(const Dict& x) {
    Value content = mapping(x);
    return x.frozen ? Value(tagged("$frozendict", content)) : content;
  }
  Value encode(const konfig::SymbolName& x) {
    return tagged(symbol_tag(x.qualname).data(), x.qualname);
  }
  Value encode(const konfig::Object& x) {
    auto [place, fresh] = seen_.emplace(x.ptr.get(), static_cast<int>(seen_.size()));
    int id = place->second;
    if (!fresh) return tagged("$same", id);
    const Toy* toy = toy_of(x);
    Dict out = tagged("$obj", toy ? toy->qualname : std::string(konfig::qualname_of(*x.type)));
    out.set("id", id);
    if (!toy) {  // one of konfig's own, such as functools.partial
      for (auto& field : x.type->fields) {
        const Value v =
            konfig::to_value(field.type(), konfig::detail::at_offset(x.ptr.get(), field.offset));
        out.set(field.type().kind == konfig::Kind::args ? "args" : "kwargs", (*this)(v));
      }
      return out;
    }
    if (toy->record) {
      std::vector<Value> args;
      for (const Value& a : toy->args) args.push_back((*this)(a));
      out.set("args", List(args));
      out.set("kwargs", mapping(toy->kwargs));
    } else if (toy->fields) {
      out.set("fields", mapping(toy->kwargs));
    }
    return out;
  }

  std::vector<Value> all(const konfig::Sequence& items) {
    std::vector<Value> out;
    for (const Value& x : items) out.push_back((*this)(x));
    return out;
  }
  template <class Pairs>
  Value mapping(const Pairs& pairs) {
    bool plain = true;
    for (const auto& [k, v] : pairs) {
      Value key(k);
      auto* text = key.get_if<std::string>();
      plain = plain && text && !text->starts_with('$');
    }
    Dict out;
    List listed;
    for (const auto& [k, v] : pairs) {
      if (plain) {
        out.set(Value(k), (*this)(v));
      } else {
        listed.push_back(List{golden::encode(Value(k)), (*this)(v)});
      }
    }
    return plain ? Value(out) : Value(tagged("$dict", listed));
  }

  std::map<const void*, int> seen_;
};

}  // namespace

Value encode(const Value& value) { return Encoder()(value); }

}  // namespace golden
