// Methods of texts and lists that references may call.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/join.h"
#include "konfig/arithmetic.h"
#include "konfig/print.h"
#include "konfig/scalar_text.h"

namespace konfig::detail {
namespace {

using Args = std::span<const Value>;

std::string map_ascii(std::string text, int (*f)(int)) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 128) c = static_cast<char>(f(c));
  }
  return text;
}

std::string strip(const std::string& text) {
  auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

Value split_at_blanks(const std::string& text) {
  List out;
  for (std::size_t from = 0; (from = text.find_first_not_of(" \t\r\n", from)) != text.npos;) {
    auto to = std::min(text.find_first_of(" \t\r\n", from), text.size());
    out.push_back(text.substr(from, to - from));
    from = to;
  }
  return out;
}

Value split(const std::string& text, const std::string& by) {
  if (by.empty()) throw Error(ErrorKind::value, "split: the separator is empty");
  List out;
  for (std::size_t from = 0;;) {
    auto to = text.find(by, from);
    out.push_back(text.substr(from, to - from));
    if (to == text.npos) return out;
    from = to + by.size();
  }
}

std::string replace(const std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return text;
  std::string out;
  for (std::size_t at = 0;;) {
    auto next = text.find(from, at);
    out += text.substr(at, next - at);
    if (next == text.npos) return out;
    out += to;
    at = next + from.size();
  }
}

// "{}-{1}": positions in order or by number; "{{" is a brace.
std::string format(const std::string& pattern, Args args) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if ((c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c) {
      out += pattern[i++];
      continue;
    }
    if (c != '{') {
      out += c;
      continue;
    }
    auto end = std::min(pattern.find('}', i), pattern.size());
    auto number = pattern.substr(i + 1, end - i - 1);
    if (end == pattern.size() || number.find_first_not_of("0123456789") != number.npos ||
        number.size() > 9) {
      throw Error(ErrorKind::value, "format: only {} and {0} are known, in " + repr_text(pattern));
    }
    auto at = number.empty() ? next++ : std::stoul(number);
    if (at >= args.size()) {
      throw Error(ErrorKind::index,
                  fmt::format("format: {} has no value {}", repr_text(pattern), at));
    }
    out += to_str(args[at]).as<std::string>();
    i = end;
  }
  return out;
}

Value join(const std::string& by, const Value& items) {
  auto* list = items.get_if<List>();
  auto* tuple = items.get_if<Tuple>();
  if (!list && !tuple)
    throw Error(ErrorKind::type, "join: expected a list, got " + shorten(items.repr(), 40));
  return base::join(list ? static_cast<const Sequence&>(*list) : *tuple, by,
                    [](const Value& v) { return v.as<std::string>(); });
}

void expect_args(std::string_view name, Args args, std::size_t n) {
  if (args.size() != n) {
    throw Error(ErrorKind::type,
                fmt::format("{}: takes {} argument(s), got {}", name, n, args.size()));
  }
}

Value of_text(const std::string& self, std::string_view name, Args args) {
  auto text = [&](std::size_t i) -> const std::string& { return args[i].as<std::string>(); };
  if (name == "upper" || name == "lower" || name == "strip") {
    expect_args(name, args, 0);
    if (name == "strip") return strip(self);
    return name == "upper" ? map_ascii(self, std::toupper) : map_ascii(self, std::tolower);
  }
  if (name == "replace") {
    expect_args(name, args, 2);
    return replace(self, text(0), text(1));
  }
  if (name == "format") return format(self, args);
  if (name == "split" && args.empty()) return split_at_blanks(self);
  if (name == "split" || name == "join" || name == "startswith" || name == "endswith") {
    expect_args(name, args, 1);
    if (name == "join") return join(self, args[0]);
    if (name == "split") return split(self, text(0));
    return name == "startswith" ? self.starts_with(text(0)) : self.ends_with(text(0));
  }
  throw Error(ErrorKind::key, fmt::format("text has no method '{}' here", name));
}

Value of_sequence(const Sequence& self, std::string_view name, Args args) {
  if (name != "index" && name != "count") {
    throw Error(ErrorKind::key, fmt::format("a list has no method '{}' here", name));
  }
  expect_args(name, args, 1);
  if (name == "count") return std::count(self.begin(), self.end(), args[0]);
  auto* at = std::find(self.begin(), self.end(), args[0]);
  if (at == self.end()) {
    throw Error(ErrorKind::value,
                fmt::format("index: {} is not in the list", shorten(args[0].repr(), 40)));
  }
  return at - self.begin();
}

}  // namespace

Value call_method(const Value& self, std::string_view name, Args args) {
  if (auto* text = self.get_if<std::string>()) return of_text(*text, name, args);
  if (auto* list = self.get_if<List>()) return of_sequence(*list, name, args);
  if (auto* tuple = self.get_if<Tuple>()) return of_sequence(*tuple, name, args);
  throw Error(ErrorKind::key, fmt::format("{} has no method '{}'", self.type_name(), name));
}

}  // namespace konfig::detail
