// Discovery: which flags there are, given the classes that flags, file, code and defaults choose,
// and what becomes of the config.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "konfig/error.h"
#include "tfimm/train/config_class.h"
#include "tfimm/train/flags_impl.h"
#include "tfimm/train/source_impl.h"

namespace tfimm::train::detail {

struct KnownFlag {
  std::string name;  // "n.a"
  Field field;
  std::string doc;
  std::string chooses = {};                     // of n_class: "n"; "": it chooses no class
  std::optional<konfig::Value> otherwise = {};  // the value without the flag; nothing: it is needed
};

// A place whose class was chosen, or can be.
struct Chosen {
  ConfigClassPtr cls = nullptr;  // nullptr: none, or one that is not known
  std::string by = {};           // "--n_class=Leaf", "exp.yaml, line 3", ...
  bool unknown = false;
};

struct Found {
  konfig::Value config;                  // of no use when there are errors
  std::vector<KnownFlag> flags;          // in order
  std::map<std::string, Chosen> chosen;  // by path
  std::vector<konfig::Error> errors;
  std::vector<std::string> missing;  // "--n.t (tuple; SimpleConfig, chosen by ...)"
};

// `file` may be nullptr. What is wrong is collected, so that flags are found all the same.
Found discover(const ConfigClassPtr& cls, const Given& code, const Given* file, const Flags& flags);

// The class of a plain map: its keys, with the types of their values.
ConfigClassPtr class_of_map(const Given& code, const Given* file);

// "LeafConfig, chosen by --n_class=Leaf"
std::string origin(const Chosen& chosen);

}  // namespace tfimm::train::detail
