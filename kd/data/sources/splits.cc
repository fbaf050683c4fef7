// Reading splits.
#include "kd/data/sources/splits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/join.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/suggest.h"

namespace kd::data {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<SplitPart> parse() {
    std::vector<SplitPart> out = {part()};
    while (take('+')) out.push_back(part());
    if (at_ < text_.size()) fail("'+' or the end");
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw Error(ErrorKind::value, "split",
                "'" + std::string(text_) + "': " + wanted + " was expected at '" +
                    std::string(text_.substr(at_)) + "'");
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  SplitPart part() {
    SplitPart out;
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("[+( ").find(text_[at_]) == std::string_view::npos)
      ++at_;
    out.name = text_.substr(begin, at_ - begin);
    if (out.name.empty()) fail("the name of a split");
    if (take('[')) bounds(out);
    if (take("(closest)")) return out;
    out.drop_remainder = take("(pct1_dropremainder)");
    return out;
  }

  void bounds(SplitPart& out) {
    std::optional<SplitPart::Unit> unit;
    out.from = number(unit);
    if (take(':')) {
      out.to = number(unit);
    } else if (out.from && unit == SplitPart::Unit::shards) {
      out.to = *out.from + 1;  // one shard: "train[3shard]"
    } else {
      fail("':'");
    }
    if (!take(']')) fail("']'");
    out.unit = unit.value_or(SplitPart::Unit::records);
    if (out.unit == SplitPart::Unit::percent) {
      for (auto& bound : {out.from, out.to}) {
        if (bound && std::abs(*bound) > 100) {
          throw Error(
              ErrorKind::value, "split",
              "'" + std::string(text_) + "': " + std::to_string(*bound) + "% is beyond 100%");
        }
      }
    }
  }

  std::optional<std::int64_t> number(std::optional<SplitPart::Unit>& unit) {
    skip_spaces();
    std::int64_t out = 0;
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    if (begin < end && *begin == '+') fail("a number");
    const auto [stop, error] = std::from_chars(begin, end, out);
    if (stop == begin) return {};
    if (error != std::errc()) fail("a smaller number");
    at_ += static_cast<std::size_t>(stop - begin);
    while (at_ < text_.size() && text_[at_] == '_') fail("a number without '_'");
    const auto found = take('%')       ? SplitPart::Unit::percent
                       : take("shard") ? SplitPart::Unit::shards
                                       : SplitPart::Unit::records;
    if (unit && *unit != found) fail("the same unit on both sides of ':'");
    unit = found;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Half to even, as Python rounds.
std::int64_t percent_of(std::int64_t percent, std::int64_t size, bool drop_remainder) {
  if (drop_remainder) return percent * (size / 100);
  return static_cast<std::int64_t>(
      std::nearbyint(static_cast<double>(percent) * static_cast<double>(size) / 100.0));
}

SplitRange range_of(const SplitPart& part, std::size_t i, const SplitInfo& info) {
  const std::int64_t size = info.size();
  const auto units = part.unit == SplitPart::Unit::percent ? std::int64_t{100}
                     : part.unit == SplitPart::Unit::shards
                         ? static_cast<std::int64_t>(info.shards.size())
                         : size;
  auto place = [&](std::optional<std::int64_t> bound, std::int64_t otherwise) {
    std::int64_t at = bound.value_or(otherwise);
    if (at < 0) at += units;
    at = std::clamp<std::int64_t>(at, 0, units);
    switch (part.unit) {
      case SplitPart::Unit::percent:
        return percent_of(at, size, part.drop_remainder);
      case SplitPart::Unit::shards:
        return std::accumulate(info.shards.begin(), info.shards.begin() + at, std::int64_t{0});
      case SplitPart::Unit::records:
        break;
    }
    return at;
  };
  SplitRange out{i, place(part.from, 0), place(part.to, units)};
  out.end = std::max(out.begin, out.end);
  return out;
}

}  // namespace

std::int64_t SplitInfo::size() const {
  return std::accumulate(shards.begin(), shards.end(), std::int64_t{0});
}

std::vector<SplitPart> parse_split(std::string_view text) { return Parser(text).parse(); }

std::vector<SplitRange> split_ranges(std::string_view text, const std::vector<SplitInfo>& known) {
  std::vector<SplitRange> out;
  for (const SplitPart& part : parse_split(text)) {
    auto found = std::ranges::find(known, part.name, &SplitInfo::name);
    if (found != known.end()) {
      out.push_back(range_of(part, static_cast<std::size_t>(found - known.begin()), *found));
      continue;
    }
    std::vector<std::string> names;
    for (auto& info : known) names.push_back(info.name);
    if (part.name == "all") {
      for (std::size_t i = 0; i < known.size(); ++i) out.push_back(range_of(part, i, known[i]));
      continue;
    }
    throw Error(ErrorKind::key, "split",
                "'" + std::string(text) + "': there is no '" + part.name + "', only " +
                    base::join(names, ", ") + konfig::did_you_mean(part.name, names));
  }
  return out;
}

}  // namespace kd::data
