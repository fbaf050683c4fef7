// Random configs for the property tests.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "konfig/value.h"

namespace konfig {

class RandomConfig {
 public:
  explicit RandomConfig(unsigned seed, bool with_nan = true) : rng_(seed), with_nan_(with_nan) {}

  int below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }

  // A config with everything JSON can hold, and nodes used more than once.
  ConfigDict config(int depth = 4) {
    nodes_.clear();
    return node(depth);
  }

  std::string text() {
    static const std::vector<std::string> parts = {
        "a",      "key",  "x y",        "'",  "\"",   "\\", "\n", "\t",     "1",
        "true",   "null", "~",          ": ", "- ",   "#",  "&",  "*",      "{",
        "]",      "%",    "@",          "|",  "\x01", ",",  "é",  "\u2028", "\xc2\x85",
        "\ufeff", "日本", "\U0001F600", "=",  "__",   " "};
    std::string out;
    for (int i = below(4); i > 0; --i)
      out += parts[static_cast<std::size_t>(below(static_cast<int>(parts.size())))];
    return out;
  }

  Value scalar() {
    switch (below(11)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<std::int64_t>(rng_());
      case 3:
        return below(20) - 10;
      case 4:
        return std::ldexp(static_cast<double>(rng_()) - 2e9, below(200) - 100);
      case 5:
        return below(100) / 10.0;
      case 6:
        return special();
      case 7:
        return BigInt{"-12345678901234567890123"};
      case 8:
        return std::filesystem::path("/tmp/x y");
      default:
        return text();
    }
  }

 private:
  Value special() {
    static const std::vector<double> values = {0.0,
                                               -0.0,
                                               1e16,
                                               1e-5,
                                               5e-324,
                                               1e308,
                                               std::numeric_limits<double>::infinity(),
                                               -std::numeric_limits<double>::infinity(),
                                               std::numeric_limits<double>::quiet_NaN()};
    return values[static_cast<std::size_t>(below(with_nan_ ? 9 : 8))];
  }

  Value value(int depth) {
    if (depth == 0) return scalar();
    switch (below(8)) {
      case 0:
      case 1:
        return node(depth - 1);
      case 2:
        return List(items(depth - 1));
      case 3:
        return Tuple(items(depth - 1));
      case 4:
        if (!nodes_.empty())
          return nodes_[static_cast<std::size_t>(below(static_cast<int>(nodes_.size())))];
        return constant("some.module:CONSTANT");
      default:
        return scalar();
    }
  }
  std::vector<Value> items(int depth) {
    std::vector<Value> out;
    for (int i = below(4); i > 0; --i) out.push_back(value(depth));
    return out;
  }
  ConfigDict node(int depth) {
    ConfigDict out;
    if (below(3) == 0) {
      out.set(kQualname, "some.module:Type" + std::to_string(below(3)));
      for (int i = 0, n = below(3); i < n; ++i) out.set(std::to_string(i), value(depth));
    }
    for (int i = below(5); i > 0; --i) {
      Value key = out.is_call() || below(5) > 0 ? Value("k" + text()) : Value(below(10) - 5);
      if (!out.contains(key)) out.set(key, value(depth));
    }
    nodes_.push_back(out);
    return out;
  }

  std::mt19937 rng_;
  bool with_nan_;
  std::vector<ConfigDict> nodes_;  // finished ones: using them again makes no cycle
};

}  // namespace konfig
