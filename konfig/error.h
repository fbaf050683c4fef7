// The one exception of konfig. Its text starts with the place (`cfg.a.b: ...`), then says what was
// expected, what was found and the nearest valid name; its kind tells programs what went wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace konfig {

enum class ErrorKind {
  key,          // no such key, field or symbol
  type,         // a value of another type than the field accepts
  value,        // right type, wrong content (also: text that does not parse)
  index,        // position outside a list or an argument list
  required,     // a required placeholder was read before it was set
  cycle,        // a reference that leads back to itself, or a config that contains itself
  truth,        // a reference used as a condition
  arithmetic,   // division by zero, or a whole number beyond 64 bits
  unsupported,  // the operation is not defined for this value
};

std::string_view to_string(ErrorKind);

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  // `path` is the place below the value at hand: "a.b[1]".
  Error(ErrorKind kind, std::string path, const std::string& message);

  ErrorKind kind() const { return kind_; }
  const std::string& path() const { return path_; }
  const std::string& message() const { return message_; }  // what() without the place

  // The same error seen from one level up; `step` is "name" or "[0]".
  Error within(std::string_view step) const;
  // The same error with more to say.
  Error with(const std::string& more) const { return Error(kind_, path_, message_ + more); }

 private:
  ErrorKind kind_;
  std::string path_;
  std::string message_;
};

// "a" and "b" to "a.b", "a" and "[0]" to "a[0]"; either may be empty.
std::string join_path(std::string_view parent, std::string_view child);

// Nested containers deeper than this are refused, so that no input can exhaust the stack.
inline constexpr int kMaxDepth = 1000;

}  // namespace konfig
