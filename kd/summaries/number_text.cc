// Arrays as text: all numbers get one width, rows are wrapped at 75 columns.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "kd/summaries/number_text_impl.h"

namespace kd::summaries::detail {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kLineWidth = 75;

// "12.", "0.25", "5.e-04": as many decimals as tell the number apart, `precision` at most.
template <class Float>
std::string decimal(Float value, std::chars_format format, int precision) {
  char buffer[512];
  auto digits_behind = [](std::string_view text) {
    text = text.substr(0, text.find('e'));
    auto point = text.find('.');
    return point == text.npos ? 0 : static_cast<int>(text.size() - point - 1);
  };
  auto end = std::to_chars(buffer, std::end(buffer), value, format).ptr;
  if (digits_behind({buffer, end}) > precision) {
    end = std::to_chars(buffer, std::end(buffer), value, format, precision).ptr;
  }
  std::string out(buffer, end);
  std::string exponent = out.find('e') == out.npos ? "" : out.substr(out.find('e'));
  out.resize(out.size() - exponent.size());
  if (out.find('.') == out.npos) out += '.';
  while (out.back() == '0') out.pop_back();
  return out + exponent;
}

struct Parts {
  std::string whole, fraction, exponent;
};
Parts split(const std::string& text) {
  auto point = text.find('.'), e = text.find('e');
  std::string exponent = e == text.npos ? "" : text.substr(e);
  return {text.substr(0, point), text.substr(point + 1, text.size() - point - 1 - exponent.size()),
          exponent};
}

// Whether numbers differ so much in size that they are written with powers of ten.
template <class Float>
bool spread_out(const std::vector<Float>& values) {
  double least = INFINITY, most = 0;
  for (Float value : values) {
    if (value == 0 || !std::isfinite(value)) continue;
    least = std::min(least, std::abs(static_cast<double>(value)));
    most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most > 0 && (most >= 1e8 || least < 1e-4 || most / least > 1000);
}

template <class Float>
Words float_words(const std::vector<Float>& values, int precision) {
  bool powers = spread_out(values);
  auto format = powers ? std::chars_format::scientific : std::chars_format::fixed;
  std::vector<Parts> all;
  std::size_t left = 0, right = 0, exponent = 0;
  for (Float value : values) {
    bool finite = std::isfinite(value);
    all.push_back(finite ? split(decimal(value, format, precision)) : Parts());
    left = std::max(left, all.back().whole.size());
    right = std::max(right, all.back().fraction.size());
    exponent = std::max(exponent, all.back().exponent.size());
  }
  for (Float value : values) {  // room for "nan" and "-inf"
    if (std::isfinite(value)) continue;
    std::size_t size = std::isnan(value) || value > 0 ? 3 : 4, rest = right + exponent + 1;
    left = std::max(left, size > rest ? size - rest : 0);
  }
  Words out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string word;
    if (!std::isfinite(values[i])) {
      word = std::isnan(values[i]) ? "nan" : values[i] > 0 ? "inf" : "-inf";
      word.insert(0, left + right + exponent + 1 - word.size(), ' ');
    } else {
      Parts& parts = all[i];
      parts.fraction.resize(right, powers ? '0' : ' ');
      word = std::string(left - parts.whole.size(), ' ') + parts.whole + "." + parts.fraction +
             parts.exponent;
    }
    out.push_back(std::move(word));
  }
  return out;
}

template <class T>
std::vector<T> elements(const Tensor& tensor, c10::ScalarType type) {
  Tensor flat = tensor.detach().to(at::kCPU, type).contiguous();
  const T* data = static_cast<const T*>(flat.const_data_ptr());
  return std::vector<T>(data, data + flat.numel());
}

Words words_of(const Tensor& array, int precision) {
  Words out;
  if (array.scalar_type() == at::kDouble) {
    return float_words(elements<double>(array, at::kDouble), precision);
  }
  if (array.is_floating_point()) {
    return float_words(elements<float>(array, at::kFloat), precision);
  }
  for (std::int64_t value : elements<std::int64_t>(array, at::kLong)) {
    bool is_bool = array.scalar_type() == at::kBool;
    out.push_back(is_bool ? (value ? "True" : "False") : std::to_string(value));
  }
  std::size_t width = array.scalar_type() == at::kBool && array.dim() > 0 ? 5 : 0;
  for (auto& word : out) width = std::max(width, word.size());
  for (auto& word : out) word.insert(0, width - word.size(), ' ');
  return out;
}

struct Layout {
  const Words& words;
  at::IntArrayRef sizes;
  std::string separator;  // ", "

  // The part of the array from `word` on, below the first `axis` axes; `indent` stands before every
  // further line, `width` is the room for a line.
  std::string part(std::size_t axis, std::size_t& word, const std::string& indent,
                   std::size_t width) const {
    if (axis == sizes.size()) return words[word++];
    std::string comma = separator.substr(0, separator.find(' '));
    std::string out, line = indent;
    bool innermost = axis + 1 == sizes.size();
    for (std::int64_t i = 0; i < sizes[axis]; ++i) {
      bool last = i + 1 == sizes[axis];
      std::string next = part(axis + 1, word, indent + " ", width - 1);
      if (innermost) {
        bool wraps = line.size() + next.size() > width - 1 && line.size() > indent.size();
        if (wraps) {
          while (line.back() == ' ') line.pop_back();
          out += line + "\n";
          line = indent;
        }
        line += next + (last ? "" : separator);
      } else {
        out += indent + next;
        if (!last) out += comma + std::string(sizes.size() - axis - 1, '\n');
      }
    }
    if (innermost) out += line;
    return "[" + out.substr(std::min(indent.size(), out.size())) + "]";
  }
};

std::string text(const Tensor& array, int precision, const std::string& separator,
                 std::size_t indent, std::size_t width) {
  Words words = words_of(array, precision);
  std::size_t first = 0;
  return Layout{words, array.sizes(), separator}.part(0, first, std::string(indent, ' '), width);
}

}  // namespace

std::string array_text(const Tensor& array, int precision) {
  return text(array, precision, " ", 1, kLineWidth);
}

std::string array_repr(const Tensor& array, int precision) {
  constexpr std::string_view name = "array(";
  return std::string(name) + text(array, precision, ", ", name.size() + 1, kLineWidth - 1) + ")";
}

}  // namespace kd::summaries::detail
