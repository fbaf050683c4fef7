#include "cli/reference_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/join.h"
#include "cli/terminal.h"

namespace cli {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"jax_log_compiles", "catch_post_mortem",
                                                    "xprof_port", "g3pdb_port"};

// --name, --noname or --name=value.
bool is_reference_flag(std::string_view arg) {
  if (!arg.starts_with("--")) return false;
  arg.remove_prefix(2);
  arg = arg.substr(0, arg.find('='));
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    return arg == name || (arg.starts_with("no") && arg.substr(2) == name);
  });
}

}  // namespace

std::vector<std::string> take_reference_flags(std::vector<std::string>& args) {
  const auto end = std::ranges::find(args, "--");
  const auto first = std::stable_partition(
      args.begin(), end, [](const std::string& arg) { return !is_reference_flag(arg); });
  std::vector<std::string> taken(first, end);
  args.erase(first, end);
  return taken;
}

void drop_reference_flags(std::vector<std::string>& args) {
  const auto dropped = take_reference_flags(args);
  if (dropped.empty()) return;
  remark(base::join(dropped, ", ") + ": without effect here, where there is neither JAX nor Borg");
}

}  // namespace cli
