// The nearest valid name, for error texts.
#include "konfig/suggest.h"

#include <algorithm>

namespace konfig {
namespace {

// Characters in common blocks: the longest one, then what lies left and right of it.
std::size_t matches(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return 0;
  std::size_t best = 0, at_a = 0, at_b = 0;
  std::vector<std::size_t> row(b.size() + 1), next(b.size() + 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = a[i] == b[j] ? row[j] + 1 : 0;
      if (next[j + 1] > best) {
        best = next[j + 1];
        at_a = i + 1 - best;
        at_b = j + 1 - best;
      }
    }
    std::swap(row, next);
  }
  if (best == 0) return 0;
  return best + matches(a.substr(0, at_a), b.substr(0, at_b)) +
         matches(a.substr(at_a + best), b.substr(at_b + best));
}

}  // namespace

double similarity(std::string_view a, std::string_view b) {
  if (a.empty() && b.empty()) return 1;
  // Names are short; do not spend quadratic time on anything else.
  constexpr std::size_t kLongest = 200;
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  return 2.0 * static_cast<double>(matches(a, b)) / static_cast<double>(a.size() + b.size());
}

std::optional<std::string> nearest(std::string_view text,
                                   const std::vector<std::string>& candidates, double cutoff) {
  const std::string* best = nullptr;
  double score = 0;
  for (auto& c : candidates) {
    // Cheap bound first: even if all of the shorter text matched.
    auto most = 2.0 * static_cast<double>(std::min(text.size(), c.size())) /
                static_cast<double>(std::max<std::size_t>(1, text.size() + c.size()));
    if (most < cutoff || most <= score) continue;
    if (auto s = similarity(text, c); s >= cutoff && s > score) {
      best = &c;
      score = s;
    }
  }
  return best ? std::optional(*best) : std::nullopt;
}

std::string did_you_mean(std::string_view text, const std::vector<std::string>& candidates,
                         double cutoff) {
  auto name = nearest(text, candidates, cutoff);
  return name ? "; did you mean '" + *name + "'?" : "";
}

}  // namespace konfig
