// Values of the golden cases: how inputs are written in JSON, and how outputs are shown.
// The notation is described at the top of konfig/generate.py.
#pragma once

#include <map>
#include <stdexcept>
#include <string>

#include "konfig/value.h"

namespace golden {

// A step needs a variable that an earlier, failed step did not set.
struct NotRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The case uses something this runner does not know.
struct UnknownNotation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The variables of a program.
class Env {
 public:
  Env() = default;
  ~Env();  // empties the configs: one that contains itself would never be freed
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;
  const konfig::Value& operator[](const std::string& name) const;
  void set(const std::string& name, konfig::Value value) { vars_[name] = std::move(value); }
  konfig::Value decode(const konfig::Value& json) const;
  // Follows a path `[variable, key, ...]`, without its last `drop` keys.
  konfig::Value walk(const konfig::Value& path, std::size_t drop = 0) const;

 private:
  konfig::Value decode_tagged(const std::string& tag, const konfig::Dict& json) const;
  konfig::Value decode_reference(const std::string& tag, const konfig::Dict& json) const;
  konfig::Value decode_op(const konfig::List& parts) const;
  std::map<std::string, konfig::Value> vars_;
};

konfig::Value encode(const konfig::Value& value);

// container[key] and bool(value), as Python does them.
konfig::Value item_of(const konfig::Value& container, const konfig::Value& key);
bool truth(const konfig::Value& value);

}  // namespace golden
