// kd config diff: what differs between two configs.
#include "cli/commands.h"
#include "cli/diff.h"
#include "cli/errors.h"
#include "cli/program.h"
#include "cli/resolved.h"
#include "cli/terminal.h"
#include "konfig/json.h"

namespace cli {
namespace {

using konfig::Dict;
using konfig::Value;

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

}  // namespace

int diff_configs(Session& session, const DiffOptions& options) {
  auto [a, b] = sides(session, options);
  if (a.flag().source == "-" && b.flag().source == "-") {
    throw UsageError("only one of the two configs can come from standard input");
  }
  const auto changes = diff(content(a, options.resolve), content(b, options.resolve));
  for (auto& change : changes) {
    print((options.format == "json" ? json_line(change) : to_line(change)) + "\n");
  }
  return changes.empty() ? kFine : kFailure;
}

}  // namespace cli
