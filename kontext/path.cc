// Path and GlobPath: everything but parsing.
#include "kontext/path.h"

#include <ostream>

#include "base/join.h"
#include "konfig/scalar_text.h"
#include "kontext/describe_impl.h"
#include "kontext/parse_path_impl.h"

namespace kontext {

using konfig::Error;
using konfig::ErrorKind;

namespace {

// A line break or a tab would move the caret.
std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return out;
}

}  // namespace

ParseError::ParseError(std::string_view text, std::size_t offset, const std::string& message)
    : Error(ErrorKind::value, "[path] could not parse " + konfig::repr_text(text) + ": " + message +
                                  "\n  " + one_line(text) + "\n  " +
                                  std::string(konfig::utf8_length(text.substr(0, offset)), ' ') +
                                  "^"),
      column_(konfig::utf8_length(text.substr(0, offset)) + 1) {}

namespace detail {

template <class Self>
const Part& PathBase<Self>::operator[](std::int64_t i) const {
  if (auto at = position(i, size())) return parts_[*at];
  throw error_at(
      ErrorKind::index, str(),
      "the path has " + std::to_string(size()) + " part(s), there is none at " + std::to_string(i));
}

template <class Self>
std::string PathBase<Self>::str() const {
  std::string out;
  for (const Part& part : parts_) {
    std::string text = part.str();
    if (!out.empty() && text.front() != '[') out += '.';
    out += text;
  }
  return out;
}

template <class Self>
std::string PathBase<Self>::str(std::string_view separator) const {
  return base::join(parts_, separator, [](const Part& part) { return part.name(); });
}

template <class Self>
Self PathBase<Self>::slice(const Slice& slice) const {
  auto [start, step, count] = range_of(slice, size());
  Self out;
  for (std::size_t i = 0; i < count; ++i) {
    out.append(parts_[static_cast<std::size_t>(start + static_cast<std::int64_t>(i) * step)]);
  }
  return out;
}

template <class Self>
Self PathBase<Self>::parent() const {
  return slice({.stop = -1});
}

template <class Self>
bool PathBase<Self>::starts_with(const Self& head) const {
  return head.size() <= size() && std::equal(head.begin(), head.end(), begin());
}

template <class Self>
Self PathBase<Self>::relative_to(const Self& head) const {
  if (!starts_with(head)) {
    throw error_at(ErrorKind::value, str(),
                   "this path is not below " + konfig::repr_text(head.str()));
  }
  return slice({.start = static_cast<std::int64_t>(head.size())});
}

template <class Self>
std::size_t PathBase<Self>::hash() const {
  std::size_t out = size();
  for (const Part& part : parts_) out = out * 1000003 ^ part.hash();
  return out;
}

template <class Self>
Self&& PathBase<Self>::append(Part part) {
  if constexpr (std::is_same_v<Self, Path>) reject_wildcard(part);
  parts_.push_back(std::move(part));
  return std::move(static_cast<Self&>(*this));
}

template <class Self>
std::ostream& PathBase<Self>::print(std::ostream& out) const {
  return out << str();
}

template class PathBase<Path>;
template class PathBase<GlobPath>;

}  // namespace detail

void reject_wildcard(const Part& part) {
  if (!part.is_wildcard()) return;
  throw Error(ErrorKind::value, "[path] the wildcard " + part.name() +
                                    " stands for many places; a path leads to one. Patterns are "
                                    "for set_by_path and filter_by_path");
}

Path::Path(std::vector<Part> parts) {
  for (const Part& part : parts) reject_wildcard(part);
  parts_ = std::move(parts);
}

Path Path::parse(std::string_view text) { return Path(parse_parts(text)); }
GlobPath GlobPath::parse(std::string_view text) { return GlobPath(parse_parts(text)); }

Path GlobPath::first_non_glob_parent() const {
  std::vector<Part> out;
  for (const Part& part : parts_) {
    if (part.is_wildcard()) break;
    out.push_back(part);
  }
  return Path(std::move(out));
}

}  // namespace kontext
