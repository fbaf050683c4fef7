#include "konfig/names.h"

namespace konfig::detail {

namespace {

// Cuts at commas outside of brackets, and trims.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> out;
  int depth = 0;
  std::size_t begin = 0;
  auto push = [&](std::size_t end) {
    auto part = text.substr(begin, end - begin);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) out.push_back(part);
    begin = end + 1;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) push(i);
  }
  push(text.size());
  return out;
}

}  // namespace

// GCC:   "...{konfig::detail::Wrap{((const void*)(& Fake<X>::object.Fake<X>::value.X::name))}, ..."
// Clang: "... <{&object.value.name}, ...>]"
std::vector<std::string_view> parse_field_names(std::string_view pretty, bool listed) {
  if (listed) return split_list(pretty);
  std::vector<std::string_view> out;
  const std::string_view end = pretty.find("))}") != pretty.npos ? "))}" : "}";
  const bool gcc = end.size() > 1;
  if (!gcc && pretty.find("{&") == pretty.npos) return out;
  for (auto cut = pretty.find(end); cut != pretty.npos; cut = pretty.find(end, cut + 1)) {
    auto head = pretty.substr(0, cut);
    out.push_back(head.substr(head.find_last_of(":.") + 1));
  }
  return out;
}

// GCC:   "...; E ...V = {my::Color::red, (my::Color)1, my::Color::green}; ...]"
// Clang: "..., V = <my::Color::red, (my::Color)1, my::Color::green>]"
std::vector<Enumerator> parse_enumerators(std::string_view pretty) {
  auto begin = pretty.find("V = ") + 5;
  auto end = pretty[begin - 1] == '{' ? pretty.rfind('}') : pretty.rfind('>');
  std::vector<Enumerator> out;
  std::int64_t value = 0;
  for (auto part : split_list(pretty.substr(begin, end - begin))) {
    auto name = part.substr(part.rfind(':') + 1);
    // `continue_` is spelled so in C++ only, where `continue` is a keyword; numpy says `bool_`,
    // too.
    if (name.ends_with('_') && name != "bool_") name.remove_suffix(1);
    if (name.find(')') == name.npos) out.push_back({value, name});
    ++value;
  }
  return out;
}

}  // namespace konfig::detail
