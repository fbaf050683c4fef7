// The classes of a golden folder, made at run time from its cases: `classes` has those of the
// tests, `shipped_classes` those of the reference.
#pragma once

#include <map>
#include <string>

#include "konfig/value.h"
#include "tfimm/train/config_class.h"

namespace golden {

class TfimmClasses {
 public:
  // Makes and registers the classes of all cases.
  explicit TfimmClasses(const konfig::List& cases);

  const tfimm::train::ConfigClassPtr& at(const std::string& name) const;

  // {"$class": name, fields...}, {"$tuple": [...]}: as the reference's script writes values. "DIR"
  // in texts is the folder of the test.
  konfig::Value decode(const konfig::Value& json, const std::string& folder) const;
  static konfig::Value encode(const konfig::Value& value, const std::string& folder);

 private:
  void add(const std::string& name, const konfig::List& fields);
  std::map<std::string, tfimm::train::ConfigClassPtr> classes_;
};

}  // namespace golden
