// The lock of an experiment: one launcher at a time runs it and writes what is known of it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/file.h"
#include "kxm/launch.h"

namespace kxm {

class LauncherLock {
 public:
  // Nothing if another process has it: `holder` says who.
  static std::optional<LauncherLock> take(const std::filesystem::path& home);
  static std::optional<Launcher> holder(const std::filesystem::path& home);
  // Given up by its name: a supervisor that was just forked may still have the file open.
  ~LauncherLock();
  LauncherLock(LauncherLock&&) noexcept = default;

 private:
  explicit LauncherLock(std::unique_ptr<base::File> file) : file_(std::move(file)) {}
  std::unique_ptr<base::File> file_;
};

// What others ask of the launcher that runs an experiment.
struct Request {
  enum class What { stop_gently, stop_now, resume } what = What::stop_gently;
  std::vector<int> wids;  // empty: all
};
void leave_request(const std::filesystem::path& home, const Request& request);
bool has_requests(const std::filesystem::path& home);
// In the order in which they came; others are left for the next launcher.
std::vector<Request> take_requests(const std::filesystem::path& home, bool resumes);

}  // namespace kxm
