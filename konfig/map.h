// Map: text keys in order of insertion, with stable addresses of the values. The order reaches
// JSON, printing and the sum of losses.
//
//   Map<int> m = {{"b", 1}, {"a", 2}};
//   m["c"] = 3;
//   for (auto& [key, value] : m) keys += key;      // "bac"
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "konfig/error.h"

namespace konfig {

template <class T>
class Map {
 public:
  using key_type = std::string;
  using mapped_type = T;
  using value_type = std::pair<const std::string, T>;

  Map() = default;
  Map(std::initializer_list<std::pair<std::string_view, T>> entries) {
    for (auto& [key, value] : entries) (*this)[key] = value;
  }
  Map(const Map& other) {
    for (auto& entry : other) entries_.push_back(std::make_unique<value_type>(entry));
  }
  Map(Map&&) noexcept = default;
  Map& operator=(const Map& other) {
    if (this != &other) *this = Map(other);
    return *this;
  }
  Map& operator=(Map&&) noexcept = default;

  // The value at `key`, added at the end when missing.
  T& operator[](std::string_view key) {
    if (T* value = find(key)) return *value;
    entries_.push_back(std::make_unique<value_type>(std::string(key), T()));
    return entries_.back()->second;
  }
  const T& at(std::string_view key) const {
    if (const T* value = find(key)) return *value;
    throw Error(ErrorKind::key, "no entry \"" + std::string(key) + "\" in the map");
  }
  T& at(std::string_view key) { return const_cast<T&>(std::as_const(*this).at(key)); }
  // nullptr when missing.
  const T* find(std::string_view key) const {
    for (auto& entry : entries_) {
      if (entry->first == key) return &entry->second;
    }
    return nullptr;
  }
  T* find(std::string_view key) { return const_cast<T*>(std::as_const(*this).find(key)); }
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  bool erase(std::string_view key) {
    return std::erase_if(entries_, [&](auto& entry) { return entry->first == key; }) > 0;
  }
  void clear() { entries_.clear(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  template <class V, class It>
  class Iterator {
   public:
    using value_type = V;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(It it) : it_(it) {}
    V& operator*() const { return **it_; }
    V* operator->() const { return it_->get(); }
    Iterator& operator++() {
      ++it_;
      return *this;
    }
    Iterator operator++(int) {
      auto old = *this;
      ++it_;
      return old;
    }
    bool operator==(const Iterator&) const = default;

   private:
    It it_;
  };
  auto begin() { return Iterator<value_type, typename Entries::iterator>(entries_.begin()); }
  auto end() { return Iterator<value_type, typename Entries::iterator>(entries_.end()); }
  auto begin() const {
    return Iterator<const value_type, typename Entries::const_iterator>(entries_.begin());
  }
  auto end() const {
    return Iterator<const value_type, typename Entries::const_iterator>(entries_.end());
  }

 private:
  using Entries = std::vector<std::unique_ptr<value_type>>;
  Entries entries_;
};

}  // namespace konfig
