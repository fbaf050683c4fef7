#include "konfig/export_hook.h"

#include <map>
#include <mutex>
#include <string>

namespace konfig::detail {

namespace {

struct Hooks {
  std::mutex mutex;
  std::map<std::string, ExportHook, std::less<>> by_type;
};
Hooks& hooks() {
  static Hooks one;
  return one;
}

}  // namespace

bool register_export_hook(std::string_view type_name, ExportHook hook) {
  const std::lock_guard lock(hooks().mutex);
  hooks().by_type.insert_or_assign(std::string(type_name), hook);
  return true;
}

ExportHook find_export_hook(std::string_view type_name) {
  const std::lock_guard lock(hooks().mutex);
  auto it = hooks().by_type.find(type_name);
  return it == hooks().by_type.end() ? nullptr : it->second;
}

}  // namespace konfig::detail
