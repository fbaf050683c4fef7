// What one source of a config gives.
#include "konfig/error.h"
#include "konfig/node.h"
#include "tfimm/train/source_impl.h"
#include "tfimm/train/values_impl.h"

namespace tfimm::train::detail {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

// The child at `key`, made when it is new.
Given& child_of(Given& parent, const std::string& key, const std::string& where) {
  auto& child = parent.children[key];
  if (!child) {
    child = std::make_unique<Given>(Given{.where = where});
    child->is_map = true;  // until it is found to be a value
    parent.keys.push_back(key);
  }
  return *child;
}

[[noreturn]] void fail_both(const std::string& path, const Given& one, const std::string& other) {
  throw Error(ErrorKind::key, path + ": given both as a value and as a map (" + one.where +
                                  (other == one.where ? "" : "; " + other) + ")");
}

// The place that a key with dots means, below `parent`.
Given& descend(Given& parent, const std::string& prefix, std::string_view key,
               const std::string& where) {
  Given* at = &parent;
  std::string path = prefix;
  for (std::size_t from = 0; from != key.npos;) {
    const auto dot = key.find('.', from);
    const std::string part(key.substr(from, dot == key.npos ? dot : dot - from));
    if (!at->is_map) fail_both(path, *at, where);
    at = &child_of(*at, part, where);
    path += (path.empty() ? "" : ".") + part;
    from = dot == key.npos ? dot : dot + 1;
  }
  return *at;
}

void require_new(const Given& place, bool existed, const std::string& path,
                 const std::string& where) {
  if (!existed) return;
  if (place.is_map) fail_both(path, place, where);
  throw Error(ErrorKind::key, path + ": given twice (" + place.where +
                                  (where == place.where ? "" : "; " + where) + ")");
}

std::string below(const std::string& prefix, const std::string& key) {
  return prefix.empty() ? key : prefix + "." + key;
}

bool exists(const Given& parent, std::string_view key) {
  const Given* at = &parent;
  for (std::size_t from = 0; at && from != key.npos;) {
    const auto dot = key.find('.', from);
    at = at->find(key.substr(from, dot == key.npos ? dot : dot - from));
    from = dot == key.npos ? dot : dot + 1;
  }
  return at != nullptr;
}

void add_code(Given& parent, const std::string& prefix, const konfig::Dict& cfg, int& depth) {
  konfig::detail::DepthGuard guard(depth);
  for (auto& [k, value] : cfg) {
    const std::string key = str(k);
    const std::string path = below(prefix, key);
    const bool existed = exists(parent, key);
    Given& place = descend(parent, prefix, key, "in code");
    if (auto* map = value.get_if<konfig::Dict>()) {
      if (!place.is_map) fail_both(path, place, "in code");
      add_code(place, path, *map, depth);
    } else {
      require_new(place, existed, path, "in code");
      place.is_map = false;
      place.value = value;
    }
  }
}

void add_file(Given& parent, const std::string& prefix, const YamlNode& map,
              const std::string& file) {
  for (const YamlNode::Entry& entry : map.entries) {
    const std::string where = file + ", line " + std::to_string(entry.line);
    const std::string path = below(prefix, entry.key);
    const bool existed = exists(parent, entry.key);
    Given& place = descend(parent, prefix, entry.key, where);
    if (entry.value->kind == YamlNode::Kind::map) {
      if (!place.is_map) fail_both(path, place, where);
      add_file(place, path, *entry.value, file);
    } else {
      require_new(place, existed, path, where);
      place.is_map = false;
      place.yaml = entry.value;
    }
  }
}

}  // namespace

const Given* Given::find(std::string_view key) const {
  auto it = children.find(key);
  return it == children.end() ? nullptr : it->second.get();
}

Value Given::read(const Field& field) const {
  if (is_map) {
    throw Error(ErrorKind::type, "expected " + words(field) + ", got a map");
  }
  if (!yaml) return fit(field, value);
  return fit(field, yaml_value(field, *yaml));
}

Value Given::untyped() const { return yaml ? yaml_value(*yaml) : value; }

std::unique_ptr<Given> given_in_code(const konfig::Dict& cfg) {
  auto out = std::make_unique<Given>(Given{.where = "in code"});
  out->is_map = true;
  int depth = 0;
  add_code(*out, "", cfg, depth);
  return out;
}

std::unique_ptr<Given> given_in_file(const YamlNode& map, const std::string& file) {
  auto out = std::make_unique<Given>(Given{.where = file});
  out->is_map = true;
  add_file(*out, "", map, file);
  return out;
}

}  // namespace tfimm::train::detail
