#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "kxm/environment_impl.h"

namespace kxm {

std::optional<std::map<std::string, std::string>> environment_of(int pid) {
  namespace fs = std::filesystem;
  const auto text = base::try_read_file(fs::path("/proc") / std::to_string(pid) / "environ");
  if (!text) return std::nullopt;
  std::map<std::string, std::string> out;
  for (std::size_t at = 0; at < text->size();) {
    const std::string_view pair(text->c_str() + at);
    const auto equals = pair.find('=');
    if (equals != pair.npos) out.emplace(pair.substr(0, equals), pair.substr(equals + 1));
    at += pair.size() + 1;
  }
  return out;
}

}  // namespace kxm
