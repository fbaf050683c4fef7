// Experiments whose folder was moved.
#include "kxm/moved_impl.h"

#include <cctype>
#include <optional>

#include "base/durable.h"
#include "base/file.h"
#include "konfig/json.h"
#include "konfig/value.h"
#include "kxm/records_impl.h"
#include "kxm/relaunch.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

// Part of a name: what comes before or after it makes another path.
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) >= 0x80 ||
         c == '_' || c == '-' || c == '.';
}

std::optional<Move> move_of(const Heading& heading, const fs::path& home) {
  const Plan& plan = heading.plan;
  const fs::path before =
      !heading.home.empty() ? fs::path(heading.home) : fs::path(plan.dir) / kHome;
  if (plan.dir.empty() && heading.home.empty()) return std::nullopt;
  std::error_code error;
  if (before == home || fs::equivalent(before, home, error)) return std::nullopt;
  if (plan.dir.empty()) return Move{before.string(), home.string()};
  return Move{plan.dir, home.parent_path().string()};
}

// Where jobs start, if that was moved along: "/old/project" of "/old/project/runs/17".
std::string moved_along(const std::string& cwd, const Move& move) {
  std::error_code error;
  if (cwd.empty() || fs::exists(cwd, error)) return cwd;
  fs::path from = move.from, to = move.to;
  while (from.has_relative_path() && from.filename() == to.filename()) {
    from = from.parent_path();
    to = to.parent_path();
  }
  const std::string there = moved(cwd, {from.string(), to.string()});
  return fs::exists(there, error) ? there : cwd;
}

Value moved_value(const Value& value, const Move& move) {
  if (auto* text = value.get_if<std::string>()) return moved(*text, move);
  if (auto* list = value.get_if<List>()) {
    List out;
    for (const Value& item : *list) out.push_back(moved_value(item, move));
    return out;
  }
  if (auto* dict = value.get_if<Dict>()) {
    Dict out;
    for (auto& [key, item] : *dict) out.set(key, moved_value(item, move));
    return out;
  }
  return value;
}

}  // namespace

std::string moved(std::string_view text, const Move& move) {
  std::string out;
  std::size_t done = 0;
  for (auto at = text.find(move.from); at != text.npos; at = text.find(move.from, at + 1)) {
    const std::size_t end = at + move.from.size();
    const bool begins = at == 0 || !(in_name(text[at - 1]) || text[at - 1] == '/');
    const bool ends = end == text.size() || !in_name(text[end]);
    if (at < done || !begins || !ends) continue;
    out.append(text.substr(done, at - done)).append(move.to);
    done = end;
  }
  return out.append(text.substr(done));
}

void follow_move(const fs::path& home) {
  Heading heading = read_heading(home);
  const auto move = move_of(heading, home);
  if (!move) return;
  for (const fs::path& file : unit_files(home)) {
    auto units = units_from_json(base::read_file(file));
    for (PlannedUnit& unit : units) {
      unit.dir = moved(unit.dir, *move);
      for (PlannedJob& job : unit.jobs) {
        for (std::string& arg : job.argv) arg = moved(arg, *move);
        for (auto& [name, value] : job.env) value = moved(value, *move);
      }
    }
    base::replace_file(file, units_json(units));
  }
  const fs::path relaunch = home / kRelaunch;
  if (const auto text = base::try_read_file(relaunch)) {
    const Value all = moved_value(konfig::parse_json(*text), *move);
    base::replace_file(relaunch, konfig::to_json(all) + "\n");
  }
  heading.plan.dir = moved(heading.plan.dir, *move);
  heading.plan.cwd = moved_along(heading.plan.cwd, *move);
  heading.home = home.string();
  write_heading(home, heading);  // last: until then the old place is known
}

}  // namespace kxm
