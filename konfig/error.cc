// Error: the place, the cause and the fix in one text.
#include "konfig/error.h"

#include <utility>

namespace konfig {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::key:
      return "key";
    case ErrorKind::type:
      return "type";
    case ErrorKind::value:
      return "value";
    case ErrorKind::index:
      return "index";
    case ErrorKind::required:
      return "required";
    case ErrorKind::cycle:
      return "cycle";
    case ErrorKind::truth:
      return "truth";
    case ErrorKind::arithmetic:
      return "arithmetic";
    case ErrorKind::unsupported:
      return "unsupported";
  }
  return "error";
}

std::string join_path(std::string_view parent, std::string_view child) {
  std::string out(parent);
  if (!out.empty() && !child.empty() && child.front() != '[') out += '.';
  return out.append(child);
}

Error::Error(ErrorKind kind, const std::string& message) : Error(kind, std::string(), message) {}

Error::Error(ErrorKind kind, std::string path, const std::string& message)
    : std::runtime_error(path.empty() ? message : join_path("cfg", path) + ": " + message),
      kind_(kind),
      path_(std::move(path)),
      message_(message) {}

Error Error::within(std::string_view step) const {
  return Error(kind_, join_path(step, path_), message_);
}

}  // namespace konfig
