// PartMap: values by part, in order of insertion. Found by hash once there are many.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "kontext/part.h"

namespace kontext {

template <class T>
class PartMap {
 public:
  // The value of `part`, added at the end when missing.
  T& operator[](const Part& part) {
    if (T* found = find(part)) return *found;
    items_.emplace_back(part, T());
    if (!index_.empty()) {
      index_.emplace(part, items_.size() - 1);
    } else if (items_.size() > kFew) {
      for (std::size_t i = 0; i < items_.size(); ++i) index_.emplace(items_[i].first, i);
    }
    return items_.back().second;
  }
  // nullptr when missing.
  const T* find(const Part& part) const {
    if (!index_.empty()) {
      auto it = index_.find(part);
      return it == index_.end() ? nullptr : &items_[it->second].second;
    }
    for (auto& item : items_) {
      if (item.first == part) return &item.second;
    }
    return nullptr;
  }
  T* find(const Part& part) { return const_cast<T*>(std::as_const(*this).find(part)); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  static constexpr std::size_t kFew = 16;
  std::vector<std::pair<Part, T>> items_;
  std::unordered_map<Part, std::size_t> index_;
};

}  // namespace kontext
