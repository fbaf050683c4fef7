#include "konfig/overlay.h"

#include <algorithm>
#include <atomic>

namespace konfig::detail {

std::string to_text(const Path& path) {
  std::string out;
  for (const Step& step : path) {
    if (auto* index = std::get_if<std::size_t>(&step)) {
      out += "[" + std::to_string(*index) + "]";
    } else {
      if (!out.empty()) out += ".";
      out += std::get<std::string>(step);
    }
  }
  return out;
}

bool starts_with(const Path& path, const Path& head) {
  return path.size() >= head.size() && std::equal(head.begin(), head.end(), path.begin());
}

void Overlay::bind(Binding binding) {
  for (Binding& old : bindings) {
    if (old.path == binding.path) {
      old = std::move(binding);
      return;
    }
  }
  bindings.push_back(std::move(binding));
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace konfig::detail
