// Reading einops patterns.
#include <algorithm>
#include <cctype>
#include <set>

#include "base/number_in.h"
#include "kd/einops/einops_pattern_impl.h"
#include "konfig/error.h"

namespace kd::einops::detail {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr std::string_view kEllipsis = "...";

class SideParser {
 public:
  // `begin` is where the side stands in the pattern.
  SideParser(std::string_view text, std::size_t begin) : text_(text), end_(begin + text.size()) {}

  PatternSide parse() {
    for (skip_spaces(); !text_.empty(); skip_spaces()) {
      token_ = end_ - text_.size();
      element();
    }
    token_ = open_at_;
    if (open_) fail("a '(' is not closed");
    return std::move(side_);
  }

 private:
  // Points at the token.
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::value, what + " (character " + std::to_string(token_ + 1) + ")");
  }

  void skip_spaces() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.front()))) take(1);
  }
  std::string_view take(std::size_t n) {
    auto out = text_.substr(0, n);
    text_.remove_prefix(n);
    return out;
  }

  void element() {
    if (text_.front() == '(') {
      take(1);
      if (open_) fail("parentheses inside parentheses");
      open_ = true;
      open_at_ = token_;
      side_.emplace_back();
    } else if (text_.front() == ')') {
      take(1);
      if (!open_) fail("a ')' without '('");
      open_ = false;
    } else {
      axis(word());
    }
  }

  std::string_view word() {
    if (text_.starts_with(kEllipsis)) return take(kEllipsis.size());
    std::size_t n = 0;
    while (n < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[n])) || text_[n] == '_')) {
      ++n;
    }
    if (n == 0) fail("unexpected '" + std::string(text_.substr(0, 1)) + "'");
    return take(n);
  }

  void axis(std::string_view word) {
    PatternAxis axis{.name = std::string(word)};
    if (std::isdigit(static_cast<unsigned char>(word.front()))) {
      axis.size = base::number_in<decltype(axis.size)>(word).value_or(0);
      if (axis.size == 0) fail("'" + std::string(word) + "' is neither a name nor a size");
      axis.name = "#" + std::to_string(numbers_++);
    }
    if (!axis.name.starts_with('#') && !seen_.insert(axis.name).second) {
      fail("'" + axis.name + "' occurs twice on one side");
    }
    if (!open_) side_.push_back({.is_ellipsis = word == kEllipsis});
    if (axis.size != 1) side_.back().axes.push_back(std::move(axis));
  }

  std::string_view text_;
  std::size_t end_, token_ = 0, open_at_ = 0;  // places in the pattern
  PatternSide side_;
  std::set<std::string> seen_;
  bool open_ = false;
  int numbers_ = 0;
};

void expand_side(PatternSide& side, std::size_t n) {
  PatternSide out;
  for (PatternGroup& group : side) {
    std::vector<PatternAxis> axes;
    for (PatternAxis& axis : group.axes) {
      if (axis.name != kEllipsis) {
        axes.push_back(std::move(axis));
        continue;
      }
      for (std::size_t i = 0; i < n; ++i) axes.push_back({.name = "..." + std::to_string(i)});
    }
    if (!group.is_ellipsis) {
      out.push_back({.axes = std::move(axes)});
    } else {
      for (PatternAxis& axis : axes) out.push_back({.axes = {std::move(axis)}});
    }
  }
  side = std::move(out);
}

bool has_ellipsis(const PatternSide& side) {
  auto axes = axes_of(side);
  return std::any_of(axes.begin(), axes.end(), [](auto& a) { return a.name == kEllipsis; });
}

}  // namespace

std::vector<PatternAxis> axes_of(const PatternSide& side) {
  std::vector<PatternAxis> out;
  for (auto& group : side) out.insert(out.end(), group.axes.begin(), group.axes.end());
  return out;
}

Pattern Pattern::parse(std::string_view text) {
  auto arrow = text.find("->");
  if (arrow == text.npos || text.find("->", arrow + 2) != text.npos) {
    throw Error(ErrorKind::value, "a pattern has one '->' between its sides");
  }
  Pattern out{SideParser(text.substr(0, arrow), 0).parse(),
              SideParser(text.substr(arrow + 2), arrow + 2).parse()};
  bool bare = std::any_of(out.left.begin(), out.left.end(), [](auto& g) { return g.is_ellipsis; });
  if (has_ellipsis(out.left) && !bare) {
    throw Error(ErrorKind::value, "'...' in parentheses is for the right side only");
  }
  if (has_ellipsis(out.right) && !has_ellipsis(out.left)) {
    throw Error(ErrorKind::value, "'...' stands on the right side only");
  }
  return out;
}

void Pattern::expand(std::int64_t dims) {
  auto named = static_cast<std::int64_t>(left.size());
  if (!has_ellipsis(left)) {
    if (named != dims) {
      throw Error(ErrorKind::value, "the left side has " + std::to_string(named) +
                                        " dimensions, the tensor has " + std::to_string(dims));
    }
    return;
  }
  if (--named > dims) {
    throw Error(ErrorKind::value, "the left side has at least " + std::to_string(named) +
                                      " dimensions, the tensor has " + std::to_string(dims));
  }
  expand_side(left, static_cast<std::size_t>(dims - named));
  expand_side(right, static_cast<std::size_t>(dims - named));
}

}  // namespace kd::einops::detail
