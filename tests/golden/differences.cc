// The list of deliberate differences.
#include "tests/golden/differences.h"

#include <fnmatch.h>

#include <algorithm>
#include <stdexcept>

#include "base/file.h"
#include "konfig/yaml.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Value;

std::optional<std::string> text(const Dict& entry, const char* key) {
  const Value* value = entry.find(key);
  if (!value) return std::nullopt;
  return value->as<std::string>();
}

std::vector<std::string> texts(const Dict& entry, const char* key) {
  const Value* value = entry.find(key);
  if (!value) return {};
  auto* list = value->get_if<konfig::List>();
  if (!list) return {value->as<std::string>()};
  std::vector<std::string> out;
  for (const Value& one : *list) out.push_back(one.as<std::string>());
  return out;
}

bool part(const std::optional<std::string>& wanted, const std::string& of) {
  return !wanted || of.find(*wanted) != std::string::npos;
}

bool matches(const Difference& d, const Occasion& o) {
  if (d.case_glob && fnmatch(d.case_glob->c_str(), o.case_name.c_str(), 0) != 0) return false;
  if (d.topic && *d.topic != o.topic) return false;
  if (d.op && *d.op != o.op) return false;
  const bool expected =
      d.expects.empty() || std::any_of(d.expects.begin(), d.expects.end(),
                                       [&](auto& text) { return part(text, o.expected); });
  return expected && part(d.input, o.input);
}

}  // namespace

Differences Differences::load(const std::string& file, const std::string& area) {
  Differences out;
  for (const Value& value : konfig::parse_yaml(base::read_file(file)).as<konfig::List>()) {
    const Dict& entry = value.as<Dict>();
    if (entry.at("area").as<std::string>() != area) continue;
    for (const auto& [key, unused] : entry) {
      static const std::string known =
          " area reason case topic op input expects gives ours rest "
          "elsewhere ";
      if (known.find(" " + key.as<std::string>() + " ") == std::string::npos) {
        throw std::runtime_error(file + ": unknown key " + key.as<std::string>());
      }
    }
    Difference d;
    d.reason = entry.at("reason").as<std::string>();
    d.case_glob = text(entry, "case");
    d.topic = text(entry, "topic");
    d.op = text(entry, "op");
    d.input = text(entry, "input");
    d.expects = texts(entry, "expects");
    d.gives = text(entry, "gives");
    d.ours = text(entry, "ours");
    if (const Value* rest = entry.find("rest")) d.rest = rest->as<bool>();
    if (const Value* elsewhere = entry.find("elsewhere")) d.elsewhere = elsewhere->as<bool>();
    out.entries.push_back(d);
  }
  return out;
}

const Difference* Differences::excuse(const Occasion& occasion, const std::string& ours) {
  for (Difference& d : entries) {
    if (!matches(d, occasion)) continue;
    if ((d.gives && *d.gives != ours) || !part(d.ours, ours)) continue;
    ++d.used;
    return &d;
  }
  return nullptr;
}

}  // namespace golden
