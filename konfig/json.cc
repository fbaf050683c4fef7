// Configs to JSON and back.
#include "konfig/json.h"

#include <fmt/format.h>
#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>

#include "konfig/config_text.h"
#include "konfig/parse_number_impl.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"
#include "konfig/sharing_impl.h"

namespace konfig {
namespace {

// Shared nodes are written in full at each place, so that nested sharing can grow without bound.
constexpr std::size_t kMaxJson = std::size_t{256} << 20;

class JsonWriter {
 public:
  JsonWriter(const Value& root, JsonOptions options)
      : options_(std::move(options)), sharing_(root, /*everything=*/false) {
    if (options_.indent >= 0 && options_.item_separator == ", ") options_.item_separator = ",";
    value(root);
  }
  std::string take() { return std::move(out_); }

 private:
  using Pair = std::pair<std::string_view, const Value*>;

  void value(const Value& v) {
    detail::DepthGuard guard(depth_);
    if (out_.size() > kMaxJson) {
      throw Error(ErrorKind::value,
                  "the JSON text is larger than 256 MiB; are shared nodes nested?");
    }
    if (auto* cfg = v.get_if<ConfigDict>()) return node(*cfg);
    if (auto* ref = v.get_if<Reference>()) return value(ref->get());
    if (auto* list = v.get_if<List>()) return items(*list);
    if (auto* tuple = v.get_if<Tuple>()) return items(*tuple);
    if (auto* dict = v.get_if<Dict>()) return map(*dict);
    scalar(v);
  }

  void scalar(const Value& v) {
    if (v.is_none()) {
      out_ += "null";
    } else if (auto* b = v.get_if<bool>()) {
      out_ += *b ? "true" : "false";
    } else if (auto* s = v.get_if<std::string>()) {
      text(*s);
    } else if (auto* p = v.get_if<std::filesystem::path>()) {
      text(p->string());
    } else if (auto* d = v.get_if<double>(); d && !std::isfinite(*d)) {
      out_ += std::isnan(*d) ? "NaN" : *d < 0 ? "-Infinity" : "Infinity";
    } else if (d || v.is<std::int64_t>() || v.is<BigInt>()) {
      out_ += scalar_text(v);
    } else {
      throw Error(ErrorKind::type, shorten(v.repr(), 40) + ": " + std::string(v.type_name()) +
                                       " has no form in JSON");
    }
  }

  void node(const ConfigDict& cfg) {
    const auto& n = *Node::of(cfg);
    std::vector<Pair> pairs;
    pairs.reserve(n.entries.size() + 1);
    std::list<Value> targets;  // what references lead to, while they are written
    for (auto& e : n.entries) {
      bool reference = e.value.is<Reference>();
      pairs.emplace_back(e.key, reference ? &targets.emplace_back(n.read(e)) : &e.value);
    }
    Value id;
    if (auto number = sharing_.number(&n)) {
      id = *number;
      pairs.emplace_back(kId, &id);
    }
    object(pairs);
  }

  void map(const Dict& dict) {
    std::list<std::string> keys;
    std::vector<Pair> pairs;
    for (auto& [k, x] : dict) pairs.emplace_back(keys.emplace_back(detail::encode_key(k)), &x);
    object(pairs);
  }

  void object(std::vector<Pair>& pairs) {
    if (options_.sort_keys) {
      std::stable_sort(pairs.begin(), pairs.end(),
                       [](auto& a, auto& b) { return a.first < b.first; });
    }
    open('{');
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      auto& [key, v] = pairs[i];
      if (key == "__raw__=None") throw Error(ErrorKind::type, "the key None has no form in JSON");
      separate(i);
      text(key);
      out_ += options_.key_separator;
      try {
        value(*v);
      } catch (const Error& e) {
        if (e.kind() == ErrorKind::cycle) throw;  // would repeat the loop in the path
        throw e.within(key);
      }
    }
    close('}', pairs.size());
  }

  void items(const Sequence& sequence) {
    open('[');
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      separate(i);
      value(sequence[i]);
    }
    close(']', sequence.size());
  }

  void open(char c) {
    out_ += c;
    ++level_;
  }
  void separate(std::size_t i) {
    if (i > 0) out_ += options_.item_separator;
    new_line();
  }
  void close(char c, std::size_t size) {
    --level_;
    if (size > 0) new_line();
    out_ += c;
  }
  void new_line() {
    if (options_.indent < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(options_.indent) * static_cast<std::size_t>(level_), ' ');
  }

  // ASCII only, as Python writes it.
  void text(std::string_view s) {
    out_ += '"';
    while (!s.empty()) {
      std::size_t plain = 0;
      while (plain < s.size() && s[plain] >= 0x20 && s[plain] < 0x7F && s[plain] != '"' &&
             s[plain] != '\\') {
        ++plain;
      }
      out_.append(s.data(), plain);
      s.remove_prefix(plain);
      if (!s.empty()) s.remove_prefix(escaped(s));
    }
    out_ += '"';
  }

  std::size_t escaped(std::string_view s) {
    switch (s.front()) {
      case '"':
        out_ += "\\\"";
        return 1;
      case '\\':
        out_ += "\\\\";
        return 1;
      case '\n':
        out_ += "\\n";
        return 1;
      case '\r':
        out_ += "\\r";
        return 1;
      case '\t':
        out_ += "\\t";
        return 1;
      case '\b':
        out_ += "\\b";
        return 1;
      case '\f':
        out_ += "\\f";
        return 1;
      default:
        break;
    }
    utf8proc_int32_t c = 0;
    auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(s.data()),
                              static_cast<utf8proc_ssize_t>(s.size()), &c);
    if (n <= 0) {
      throw Error(ErrorKind::value,
                  "text that is not valid UTF-8 has no form in JSON: " + shorten(repr_text(s), 40));
    }
    if (c < 0x10000) {
      out_ += fmt::format("\\u{:04x}", c);
    } else {
      out_ += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((c - 0x10000) >> 10),
                          0xDC00 + ((c - 0x10000) & 0x3FF));
    }
    return static_cast<std::size_t>(n);
  }

  JsonOptions options_;
  detail::SharedParts sharing_;
  std::string out_;
  int level_ = 0;
  int depth_ = 0;
};

// Builds plain data from RapidJSON's events.
class JsonReader : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, JsonReader> {
 public:
  explicit JsonReader(bool keys_once) : keys_once_(keys_once) {}
  std::string problem;  // why it stopped, when not RapidJSON's own
  Value result;

  bool Default() { return fail("unexpected value"); }
  bool Null() { return add(None{}); }
  bool Bool(bool b) { return add(b); }
  bool RawNumber(const char* s, rapidjson::SizeType n, bool) {
    std::string_view text(s, n);
    if (text == "NaN") return add(std::numeric_limits<double>::quiet_NaN());
    if (text == "Infinity") return add(std::numeric_limits<double>::infinity());
    if (text == "-Infinity") return add(-std::numeric_limits<double>::infinity());
    auto number = detail::parse_decimal(text);
    return number ? add(*std::move(number)) : fail("not a number");
  }
  bool String(const char* s, rapidjson::SizeType n, bool) { return add(std::string(s, n)); }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    Level& top = levels_.back();
    top.key.assign(s, n);
    if (!keys_once_ || !top.container.as<Dict>().find(Value(top.key))) return true;
    return fail("'" + shorten(top.key, 60) + "' is given twice");
  }
  bool StartObject() { return push(Dict()); }
  bool StartArray() { return push(List()); }
  bool EndObject(rapidjson::SizeType) { return pop(); }
  bool EndArray(rapidjson::SizeType) { return pop(); }

 private:
  struct Level {
    Value container;  // a handle: filled in place
    std::string key;
  };
  bool fail(std::string why) {
    problem = std::move(why);
    return false;
  }
  bool push(Value container) {
    if (levels_.size() >= kMaxDepth) {
      return fail(fmt::format("nested deeper than {} levels", kMaxDepth));
    }
    levels_.push_back({std::move(container), {}});
    return true;
  }
  bool pop() {
    auto done = std::move(levels_.back().container);
    levels_.pop_back();
    return add(std::move(done));
  }
  bool add(Value v) {
    if (levels_.empty()) {
      result = std::move(v);
    } else if (auto& top = levels_.back(); top.container.is<Dict>()) {
      Dict(top.container.as<Dict>()).set(top.key, std::move(v));
    } else {
      List(top.container.as<List>()).push_back(std::move(v));
    }
    return true;
  }
  bool keys_once_;
  std::vector<Level> levels_;
};

Value parse(std::string_view text, bool keys_once);

}  // namespace

std::string to_json(const Value& value, JsonOptions options) {
  return JsonWriter(value, std::move(options)).take();
}

Value parse_json(std::string_view text) { return parse(text, /*keys_once=*/false); }
Value parse_config_json(std::string_view text) { return parse(text, /*keys_once=*/true); }

namespace {

Value parse(std::string_view text, bool keys_once) {
  rapidjson::MemoryStream memory(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(memory);
  rapidjson::Reader parser;
  JsonReader reader(keys_once);
  constexpr auto kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                          rapidjson::kParseNanAndInfFlag | rapidjson::kParseValidateEncodingFlag;
  auto status = parser.Parse<kFlags>(stream, reader);
  // RapidJSON takes a NUL for the end of the text.
  auto nul = text.find('\0');
  if (!status || nul != text.npos) {
    auto before = text.substr(0, status ? nul : status.Offset());
    auto line = std::count(before.begin(), before.end(), '\n') + 1;
    auto last = before.rfind('\n');
    auto column = before.size() - (last == before.npos ? 0 : last + 1) + 1;
    throw Error(ErrorKind::value,
                fmt::format("JSON, line {} column {}: {}", line, column,
                            status                   ? "a NUL byte"
                            : reader.problem.empty() ? rapidjson::GetParseError_En(status.Code())
                                                     : reader.problem));
  }
  return std::move(reader.result);
}

}  // namespace

ConfigDict config_from_json(std::string_view text) {
  auto data = parse_config_json(text);
  if (auto* dict = data.get_if<Dict>()) return ConfigDict(*dict);
  throw Error(ErrorKind::type, "JSON: a config is an object, this is " + shorten(data.repr(), 40));
}

}  // namespace konfig
