#include "cli/complete_config.h"

#include "cli/config_fields.h"
#include "cli/text.h"
#include "konfig/registry.h"
#include "konfig/type_registry.h"
#include "kontext/get.h"

namespace cli {
namespace {

using konfig::Kind;
using konfig::Type;

// Whether the path stands one level below what was typed: "model." has "model.encoder", not
// "model.encoder.features".
bool is_next(const std::string& path, const std::string& typed) {
  return path.starts_with(typed) && path.find_first_of(".[", typed.size() + 1) == path.npos;
}

const Type& plain(const Type& type) {
  const Type* t = &type;
  while (t->kind == Kind::required || t->kind == Kind::inherit || t->kind == Kind::optional) {
    t = &t->element();
  }
  return *t;
}

std::string note_of(const ConfigField& field) {
  return field.type_text + (field.value.empty() ? "" : " = " + field.value);
}

// Values that a field of this type can have, where they can be listed.
std::vector<std::string> values_of(const Type& declared) {
  std::vector<std::string> out;
  const Type& type = plain(declared);
  if (type.kind == Kind::boolean) out = {"true", "false"};
  for (auto& e : type.enumerators) out.emplace_back(e.name);
  if (type.kind == Kind::poly) {
    for (auto* symbol : konfig::all_symbols()) {
      if (symbol->type && konfig::is_component(type.interface, *symbol->type)) {
        out.push_back("py::" + konfig::shorten_qualname(symbol->qualname) + "()");
      }
    }
  }
  if (declared.kind == Kind::optional || type.kind == Kind::poly) out.emplace_back("None");
  return out;
}

// The names that --cfg.model.__qualname__= may take: those of the node's interface.
std::vector<std::string> names_for(const konfig::ConfigDict& cfg, const std::string& node_path) {
  std::vector<std::string> out;
  auto node = kontext::find_by_path(cfg, node_path);
  if (!node) return out;
  const auto value = node.value();
  auto* config = value.get_if<konfig::ConfigDict>();
  auto* current = config ? konfig::find_symbol(config->qualname()) : nullptr;
  for (auto* symbol : konfig::all_symbols()) {
    if (current && symbol->interface == current->interface) out.push_back(symbol->qualname);
  }
  return out;
}

}  // namespace

std::vector<Candidate> complete_path(Session& session, const std::string& typed) {
  std::vector<Candidate> out;
  for (auto& field : config_fields(session.config())) {
    if (field.is_set && is_next(field.path, typed)) out.push_back({field.path, note_of(field)});
  }
  return out;
}

std::vector<Candidate> complete_override(Session& session, const std::string& typed) {
  std::vector<Candidate> out;
  const auto& cfg = session.config();
  const auto equals = typed.find('=');
  const std::string path = typed.substr(0, equals);
  constexpr std::string_view kType = ".__qualname__";
  if (equals != typed.npos && path.ends_with(kType)) {
    for (auto& name : names_for(cfg, path.substr(0, path.size() - kType.size()))) {
      out.push_back({path + "=" + name});
    }
    return out;
  }
  for (auto& field : config_fields(cfg)) {
    if (equals != typed.npos) {
      if (field.path != path || !field.type) continue;
      for (auto& value : values_of(*field.type)) out.push_back({path + "=" + value});
    } else if (is_next(field.path, typed)) {
      const bool list = field.is_node && field.value.starts_with('[');
      out.push_back({field.path + (field.is_node && !list ? "." : "="), note_of(field)});
      // A list may be replaced or opened: the shell stops where the user decides.
      if (list && field.path != typed) out.push_back({field.path + "[", note_of(field)});
    }
  }
  return out;
}

std::vector<Candidate> complete_switch(Session& session, const std::string& typed) {
  std::vector<Candidate> out;
  for (auto& field : config_fields(session.config())) {
    if (!is_next(field.path, typed)) continue;
    if (field.is_node) {
      out.push_back({field.path + (field.value.front() == '[' ? "" : "."), note_of(field)});
    } else if (field.type && plain(*field.type).kind == Kind::boolean) {
      out.push_back({field.path, note_of(field)});
    }
  }
  return out;
}

std::vector<Candidate> complete_sweep(Session& session, const std::string&) {
  std::vector<Candidate> out;
  for (auto& [name, sweep] : loader::load_sweeps(session.request())) {
    out.push_back({name.starts_with("sweep_") ? name.substr(6) : name,
                   sweep.error ? "fails" : std::to_string(sweep.items.size()) + " items"});
  }
  return out;
}

}  // namespace cli
