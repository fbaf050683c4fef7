// Key: a path into the step context ("batch.image", "preds.logits"), as a field of a component.
//
//   struct L2 {
//     Key preds = Key::required();
//     Key targets = Key::required();
//     std::optional<Key> mask = {};
//   };
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace kontext {

class Key {
 public:
  Key() = default;
  Key(const char* path) : path_(path) {}
  Key(std::string path) : path_(std::move(path)) {}

  // A key that the user must set: using it as it is is an error.
  static Key required() { return Key(std::string(kRequired)); }
  bool is_required() const { return path_ == kRequired; }

  const std::string& str() const { return path_; }
  bool empty() const { return path_.empty(); }
  bool operator==(const Key&) const = default;

  static constexpr std::string_view kRequired = "__KEY_REQUIRED__";

 private:
  std::string path_;
};

}  // namespace kontext
