#include "konfig/sweep.h"

#include <mutex>
#include <utility>

namespace konfig {

namespace {

struct Table {
  std::mutex mutex;
  std::map<std::string, std::map<std::string, SweepFunction>, std::less<>> owners;
};
Table& table() {
  static auto* t = new Table;  // never destroyed: used until the program ends
  return *t;
}

thread_local std::string loading_owner;

std::string sweep_name(std::string_view name) {
  if (auto colon = name.rfind(':'); colon != name.npos) name.remove_prefix(colon + 1);
  if (name == "sweep" || name.starts_with("sweep_")) return std::string(name);
  return "sweep_" + std::string(name);
}

}  // namespace

bool register_sweep(std::string owner, std::string_view name, SweepFunction function) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  t.owners[std::move(owner)].insert_or_assign(sweep_name(name), function);
  return true;
}

std::map<std::string, SweepFunction> find_sweeps(std::string_view owner) {
  auto& t = table();
  std::lock_guard lock(t.mutex);
  auto it = t.owners.find(owner);
  return it == t.owners.end() ? std::map<std::string, SweepFunction>() : it->second;
}

SweepOwner::SweepOwner(std::string owner)
    : previous_(std::exchange(loading_owner, std::move(owner))) {}
SweepOwner::~SweepOwner() { loading_owner = std::move(previous_); }
std::string SweepOwner::current() { return loading_owner; }

SweepItems detail::sweep_items(const List& items) {
  SweepItems out;
  for (auto& item : items) out.push_back(item.as<Dict>());
  return out;
}

}  // namespace konfig
