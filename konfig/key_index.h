// Finds keys fast once there are many.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace konfig::detail {

// Positions of text keys. Kept up to date by writers only, so that concurrent readers are safe;
// few keys are found faster by looking at each.
class KeyIndex {
 public:
  static constexpr std::size_t kWorthwhile = 16;

  const std::size_t* find(std::string_view key) const {
    auto it = positions_.find(key);
    return it == positions_.end() ? nullptr : &it->second;
  }
  void add(std::string_view key, std::size_t position) { positions_.emplace(key, position); }
  // Takes out one key; those behind it move up.
  void erase(std::string_view key, std::size_t position) {
    auto it = positions_.find(key);
    if (it == positions_.end()) return;
    positions_.erase(it);
    for (auto& [other, at] : positions_) at -= at > position;
  }
  void clear() { positions_.clear(); }
  bool empty() const { return positions_.empty(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> positions_;
};

}  // namespace konfig::detail
