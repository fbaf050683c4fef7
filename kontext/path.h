// Path: the place of a value in a tree. GlobPath: a pattern of places, with `*` and `**`.
//
//   Path p = Path::parse("preds.layers[0]['x y'][..., 1:]");
//   p.str();                          // "preds.layers[0]['x y'][...,1:]"
//   p.parent() / "kernel" / 2;        // preds.layers[0]['x y'].kernel[2]
//   GlobPath g = GlobPath::parse("params.**.bias");
//
// docs/kontext.md has the grammar. Parse once and look up often: a lookup allocates nothing.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/error.h"
#include "kontext/part.h"

namespace kontext {

// Text that is no path. The message shows it with a caret under the place.
class ParseError : public konfig::Error {
 public:
  ParseError(std::string_view text, std::size_t offset, const std::string& message);
  std::size_t column() const { return column_; }  // in characters, from 1

 private:
  std::size_t column_;
};

namespace detail {

// What Path and GlobPath share.
template <class Self>
class PathBase {
 public:
  PathBase() = default;

  const std::vector<Part>& parts() const { return parts_; }
  std::size_t size() const { return parts_.size(); }
  bool empty() const { return parts_.empty(); }
  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }
  const Part& operator[](std::int64_t i) const;  // -1 is the last; an Error when there is none

  std::string str() const;
  std::string str(std::string_view separator) const;  // names only: "preds/layers/0"

  Self slice(const Slice& slice) const;  // as in Python: slice({.start = 1}) drops the first part
  Self parent() const;                   // of the empty path: itself
  bool starts_with(const Self& head) const;
  Self relative_to(const Self& head) const;  // an Error when it does not start with `head`

  friend Self operator/(Self path, Part part) { return std::move(path.append(std::move(part))); }
  friend Self operator/(Self path, const Self& tail) {
    for (const Part& part : tail) path.append(part);
    return path;
  }
  friend bool operator==(const Self& a, const Self& b) { return a.parts_ == b.parts_; }
  friend std::ostream& operator<<(std::ostream& out, const Self& path) { return path.print(out); }
  std::size_t hash() const;

 protected:
  std::vector<Part> parts_;

 private:
  Self&& append(Part part);
  std::ostream& print(std::ostream& out) const;
};

}  // namespace detail

// Never has a wildcard.
class Path : public detail::PathBase<Path> {
 public:
  Path() = default;
  Path(std::initializer_list<Part> parts) : Path(std::vector<Part>(parts)) {}
  explicit Path(std::vector<Part> parts);  // an Error if one is a wildcard
  static Path parse(std::string_view text);
};

class GlobPath : public detail::PathBase<GlobPath> {
 public:
  GlobPath() = default;
  GlobPath(std::initializer_list<Part> parts) : GlobPath(std::vector<Part>(parts)) {}
  explicit GlobPath(std::vector<Part> parts) { parts_ = std::move(parts); }
  explicit GlobPath(const Path& path) : GlobPath(path.parts()) {}
  static GlobPath parse(std::string_view text);

  Path first_non_glob_parent() const;  // the parts before the first wildcard
};

// A path and a pattern are never the same thing.
inline bool operator==(const Path&, const GlobPath&) { return false; }

inline namespace literals {
inline Path operator""_path(const char* text, std::size_t size) {
  return Path::parse(std::string_view(text, size));
}
}  // namespace literals

}  // namespace kontext

template <>
struct std::hash<kontext::Path> {
  std::size_t operator()(const kontext::Path& path) const { return path.hash(); }
};
template <>
struct std::hash<kontext::GlobPath> {
  std::size_t operator()(const kontext::GlobPath& path) const { return path.hash(); }
};
