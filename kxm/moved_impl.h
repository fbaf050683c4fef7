// Experiments whose folder was moved: their records name it by its old path.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kxm {

struct Move {
  std::string from, to;  // the experiment's folder, or its home where it has none
};
// The text with every path in it that leads to `from` or below leading to `to`.
std::string moved(std::string_view text, const Move& move);

// Brings the records up to date where the home was moved or copied. It may be interrupted, and is
// done again then.
void follow_move(const std::filesystem::path& home);

}  // namespace kxm
