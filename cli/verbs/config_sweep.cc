// kd config sweep: the items of a config's sweeps, and what each changes.
#include "base/count_text.h"
#include "base/join.h"
#include "cli/format.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "konfig/json.h"
#include "konfig/suggest.h"
#include "kontext/get.h"

namespace cli {
namespace {

using konfig::Value;
using Items = std::vector<loader::SweepItem>;
using loader::Sweeps;

struct SweepOptions {
  std::vector<std::string> names = {};  // several: every combination; none: each by itself
  Format format = Format::text;
};

// "lr" and "sweep_lr" are the same; "sweep" and "" are the one without a name.
std::vector<std::string> functions_of(const std::string& name) {
  return {name, "sweep_" + name, name.empty() ? "sweep" : name};
}

const Items& find(const Sweeps& sweeps, const std::string& name) {
  for (const std::string& key : functions_of(name)) {
    if (auto it = sweeps.find(key); it != sweeps.end()) return items_of(it->second);
  }
  std::vector<std::string> known;
  for (auto& [key, sweep] : sweeps) {
    known.push_back(key.starts_with("sweep_") ? key.substr(6) : key);
  }
  throw konfig::Error(konfig::ErrorKind::key,
                      "no sweep '" + name + "'" + konfig::did_you_mean(name, known) +
                          " (there are: " + (known.empty() ? "none" : base::join(known, ", ")) +
                          ")");
}

// Every combination; where two items set one path, the later sweep wins.
Items product(const Items& a, const Items& b) {
  Items out;
  for (auto& x : a) {
    for (auto& y : b) {
      loader::SweepItem item;
      for (auto& [path, value] : x) item.set(path, value);
      for (auto& [path, value] : y) item.set(path, value);
      out.push_back(std::move(item));
    }
  }
  return out;
}

// "seed: 0 -> 1"; without the old value where the config has none.
std::string change_text(const konfig::ConfigDict& cfg, const std::string& path,
                        const Value& value) {
  std::string old;
  if (!path.starts_with("__args__")) {
    if (auto found = kontext::find_by_path(cfg, path)) {
      if (!(found.value() == value)) old = brief_text(found.value()) + " -> ";
    }
  }
  return path + ": " + old + flat_text(value);
}

void print_text(const konfig::ConfigDict& cfg, const std::string& title, const Items& items) {
  print(ink_out(Ink::bold, title) + ": " + base::count_text(std::ssize(items), "item") + "\n");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string line = base::join(items[i], ", ", [&](auto& change) {
      return change_text(cfg, change.first.template as<std::string>(), change.second);
    });
    print("  [" + std::to_string(i) + "] " + line + "\n");
  }
}

int sweep(Session& session, const SweepOptions& options) {
  const konfig::ConfigDict& cfg = session.config();
  std::vector<std::string> wanted;
  for (auto& name : options.names) {
    for (auto& function : functions_of(name)) wanted.push_back(function);
  }
  const Sweeps sweeps = loader::load_sweeps(session.request(), wanted);
  Sweeps chosen;
  if (options.names.empty()) {
    chosen = sweeps;
  } else {
    Items items;
    for (bool first = true; auto& name : options.names) {
      const Items& next = find(sweeps, name);
      items = first ? next : product(items, next);
      first = false;
    }
    chosen[base::join(options.names, " x ")] = {.items = items};
  }
  if (chosen.empty()) remark("kd: " + session.source() + " has no sweeps");
  bool failed = false;
  for (auto& [title, sweep] : chosen) {
    if (sweep.error) {
      remark("kd: error: " + title + "(): " + sweep.error->what());
      failed = true;
    } else if (options.format == Format::text) {
      print_text(cfg, title, sweep.items);
    } else {
      for (auto& item : sweep.items) print(konfig::to_json(item) + "\n");
    }
  }
  return failed ? kFailure : kFine;
}

const AddVerb<SweepOptions> verb = {{
    .name = "config sweep",
    .place = 70,
    .summary = "List the items of a config's sweeps",
    .help = R"(
Sweeps are the functions sweep() and sweep_NAME() of a config file.

Examples:
  kd config sweep --cfg=my_config.py
  kd config sweep --cfg=my_config.py lr
  kd config sweep --cfg=my_config.py lr model --format=json)",
    .explains_config = true,
    .help_shows_config = true,
    .options =
        [](Options& add, SweepOptions& o) {
          add.value("NAME", o.names, "NAME", "Sweeps; several give every combination",
                    config_sweeps);
          add.choice("--format", o.format, "The notation");
        },
    .run = sweep,
}};

}  // namespace
}  // namespace cli
