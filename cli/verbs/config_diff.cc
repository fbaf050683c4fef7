// kd config diff: what differs between two configs.
#include "cli/diff.h"
#include "cli/errors.h"
#include "cli/format.h"
#include "cli/resolved.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "konfig/json.h"

namespace cli {
namespace {

using konfig::Dict;
using konfig::Value;

struct DiffOptions {
  std::vector<std::string> sources = {};  // "A" and "B", each as --cfg= takes it
  flags::ConfigFlag a = {}, b = {};       // --a.path=value, --b.path=value
  bool resolve = false;                   // compares what is built
  Format format = Format::text;
};

// "file.py:args" as --cfg= would take it, with the overrides of this side.
Session side(const std::string& source, flags::ConfigFlag overrides) {
  std::vector<std::string> args = {"--" + overrides.name + "=" + source};
  flags::ConfigFlag flag = take_flag(args, overrides.name);
  flag.overrides = std::move(overrides.overrides);
  flag.config_args = std::move(overrides.config_args);
  // The other arguments are no longer there: a bare flag takes no word from them.
  for (auto& o : flag.overrides) o.next.reset();
  return Session(std::move(flag));
}

// Before --cfg: its words that may be values are known by their position.
void take_sides(std::vector<std::string>& args, DiffOptions& options) {
  options.a = take_flag(args, "a", "A");
  options.b = take_flag(args, "b", "B");
}

// The two configs: A and B, or one of them and --cfg, or --cfg without and with its overrides.
std::pair<Session, Session> sides(const Session& session, const DiffOptions& options) {
  const auto& sources = options.sources;
  const std::size_t given = sources.size() + (session.has_config() ? 1 : 0);
  if (given == 2 && sources.size() == 2) {
    return {side(sources[0], options.a), side(sources[1], options.b)};
  }
  if (given == 2) return {side(sources[0], options.a), session};
  if (given == 1 && session.has_config()) {
    flags::ConfigFlag plain = session.flag();
    plain.overrides.clear();
    return {Session(std::move(plain)), session};
  }
  if (given == 1 && !(options.a.overrides.empty() && options.b.overrides.empty())) {
    return {side(sources[0], options.a), side(sources[0], options.b)};
  }
  throw UsageError(given > 2 ? "diff compares two configs, here are " + std::to_string(given)
                             : "diff compares two configs: kd config diff A B");
}

Value content(Session& session, bool resolve) {
  const konfig::ConfigDict& cfg = session.config();
  return resolve ? build_tree(cfg) : Value(cfg);
}

std::string json_line(const Change& change) {
  Dict out = {{"path", change.path}};
  if (change.before) out.set("old", *change.before);
  if (change.after) out.set("new", *change.after);
  if (change.shared_before) out.set("old_node", *change.shared_before);
  if (change.shared_after) out.set("new_node", *change.shared_after);
  return konfig::to_json(out);
}

int diff_configs(Session& session, const DiffOptions& options) {
  auto [a, b] = sides(session, options);
  if (a.flag().source == "-" && b.flag().source == "-") {
    throw UsageError("only one of the two configs can come from standard input");
  }
  const auto changes = diff(content(a, options.resolve), content(b, options.resolve));
  for (auto& change : changes) {
    print((options.format == Format::json ? json_line(change) : to_line(change)) + "\n");
  }
  return changes.empty() ? kFine : kFailure;
}

const AddVerb<DiffOptions> verb = {{
    .name = "config diff",
    .place = 30,
    .summary = "Compare two configs",
    .help = R"(
Prints one line for each difference (path: old -> new, path: added new,
path: removed old). The order of keys is no difference, nor is list or tuple,
nor a call's argument by position or by name. Exit code 1 when they differ.

Overrides:
  --a.PATH=VALUE, --b.PATH=VALUE   of the first and of the second config
  --cfg=... --cfg.PATH=VALUE       take the place of the second config; alone,
                                   the overrides are what is compared

Examples:
  kd config diff mnist_autoencoder other.json
  kd config diff old.py new.cc --b.seed=0
  kd config diff mnist_autoencoder --a.seed=1 --b.seed=2
  kd config diff --cfg=mnist_autoencoder --cfg.seed=1)",
    .help_shows_config = true,
    .options =
        [](Options& add, DiffOptions& o) {
          add.value("CONFIG", o.sources, "CONFIG", "Two configs, as --cfg= takes them",
                    config_sources);
          add.flag("--resolve", o.resolve, "Compare what is built, defaults included");
          add.choice("--format", o.format, "The notation");
        },
    .prepare = take_sides,
    .run = diff_configs,
}};

}  // namespace
}  // namespace cli
