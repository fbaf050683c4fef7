// Python's old way to format text.
#include <fmt/format.h>

#include "konfig/arithmetic_impl.h"
#include "konfig/scalar_text.h"

namespace konfig::detail {

std::string format_percent(std::string_view pattern, const Value& arg) {
  std::vector<Value> args{arg};
  if (auto* tuple = arg.get_if<Tuple>()) args.assign(tuple->begin(), tuple->end());
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      out += pattern[i];
      continue;
    }
    auto end = pattern.find_first_not_of("0123456789.-+ #", i + 1);
    if (end == pattern.npos)
      throw Error(ErrorKind::value, "incomplete format in " + repr_text(pattern));
    char kind = pattern[end];
    std::string flags(pattern.substr(i + 1, end - i - 1));
    i = end;
    if (kind == '%') {
      out += '%';
      continue;
    }
    if (used >= args.size())
      throw Error(ErrorKind::type, "not enough values for " + repr_text(pattern));
    const auto& v = args[used++];
    // Python aligns text to the right; fmt writes '<' for its '-'.
    if (auto at = flags.find('-'); at != flags.npos) {
      flags.erase(at, 1);
      flags.insert(flags.begin(), '<');
    } else if (!flags.empty() && (kind == 's' || kind == 'r')) {
      flags.insert(flags.begin(), '>');
    }
    if (kind == 'd' || kind == 'i' || kind == 'x') {
      auto n =
          real(v) ? to_int(v) : throw Error(ErrorKind::type, "%d needs a number, got " + v.repr());
      out += fmt::format(fmt::runtime("{:" + flags + (kind == 'x' ? "x}" : "d}")),
                         n.as<std::int64_t>());
    } else if (kind == 'f' || kind == 'e' || kind == 'g') {
      auto x = real(v);
      if (!x) throw Error(ErrorKind::type, "a number format needs a number, got " + v.repr());
      out += fmt::format(fmt::runtime("{:" + flags + kind + "}"), *x);
    } else if (kind == 's' || kind == 'r') {
      auto text = kind == 's' ? to_str(v).as<std::string>() : v.repr();
      out += fmt::format(fmt::runtime("{:" + flags + "}"), text);
    } else {
      throw Error(ErrorKind::value,
                  fmt::format("unknown format %{} in {}", kind, repr_text(pattern)));
    }
  }
  if (used < args.size())
    throw Error(ErrorKind::type, "not all values used by " + repr_text(pattern));
  return out;
}

}  // namespace konfig::detail
