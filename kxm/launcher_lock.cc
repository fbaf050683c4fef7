// The lock of an experiment, and requests to its holder.
#include "kxm/launcher_lock_impl.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include "base/durable.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "kxm/lock_impl.h"
#include "kxm/records_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

constexpr const char* kRequests = "requests";
constexpr std::array<std::string_view, 3> kWhat = {"stop gently", "stop now", "resume"};

// Others are still written.
bool is_request(const fs::directory_entry& entry) { return entry.path().extension() == ".json"; }

// A supervisor that was just forked has the lock for a moment, also when its launcher is killed.
constexpr int kTries = 1000;
constexpr std::chrono::milliseconds kPause(2);

std::optional<Launcher> read_holder(const fs::path& file) {
  try {
    const Dict dict = konfig::parse_json(base::read_file(file)).as<Dict>();
    return Launcher{static_cast<int>(dict.at("pid").as<std::int64_t>()), text_of(dict.at("host")),
                    dict.at("since").as<double>()};
  } catch (const std::exception&) {  // not written yet
    return std::nullopt;
  }
}

bool is_alive(const Launcher& launcher) {
  return launcher.host != host() || ::kill(launcher.pid, 0) == 0 || errno != ESRCH;
}

}  // namespace

std::optional<LauncherLock> LauncherLock::take(const fs::path& home) {
  const fs::path path = home / kLock;
  auto file = std::make_unique<base::File>(path, O_RDWR | O_CREAT);
  for (int tries = 0; !try_lock(file->descriptor(), path); ++tries) {
    const auto other = read_holder(path);
    if (tries == kTries || (other && is_alive(*other))) return std::nullopt;
    std::this_thread::sleep_for(kPause);
  }
  const std::string text =
      konfig::to_json(Dict{
          {"pid", static_cast<int>(::getpid())}, {"host", record_text(host())}, {"since", now()}}) +
      "\n";
  if (::ftruncate(file->descriptor(), 0) != 0) {
    throw base::FileError(path, "cannot be written", errno);
  }
  file->write(text);
  return LauncherLock(std::move(file));
}

LauncherLock::~LauncherLock() {
  if (file_) unlock(file_->descriptor(), 0, 0);
}

std::optional<Launcher> LauncherLock::holder(const fs::path& home) {
  const fs::path path = home / kLock;
  for (int tries = 0; is_locked(path); ++tries) {
    const auto found = read_holder(path);
    if (tries == kTries || (found && is_alive(*found))) return found.value_or(Launcher());
    std::this_thread::sleep_for(kPause);
  }
  return std::nullopt;
}

void leave_request(const fs::path& home, const Request& request) {
  fs::create_directories(home / kRequests);
  List wids;
  for (const int wid : request.wids) wids.push_back(wid);
  const std::string_view name = kWhat[static_cast<std::size_t>(request.what)];
  // By the time at which it came: they are taken in the order of their names.
  char when[24];
  std::snprintf(when, sizeof when, "%020.6f", now());
  base::replace_file(home / kRequests / (std::string(when) + "-" + new_token() + ".json"),
                     konfig::to_json(Dict{{"what", name}, {"wids", wids}}) + "\n");
}

bool has_requests(const fs::path& home) {
  std::error_code error;
  const fs::directory_iterator entries(home / kRequests, error);
  return std::any_of(begin(entries), end(entries), is_request);
}

std::vector<Request> take_requests(const fs::path& home, bool resumes) {
  std::vector<Request> out;
  std::error_code error;
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(home / kRequests, error)) {
    if (is_request(entry)) files.insert(entry.path());
  }
  for (const fs::path& file : files) {
    try {
      const Dict dict = konfig::parse_json(base::read_file(file)).as<Dict>();
      const auto what = std::ranges::find(kWhat, dict.at("what").as<std::string>());
      Request request;
      for (const Value& wid : dict.at("wids").as<List>()) {
        request.wids.push_back(static_cast<int>(wid.as<std::int64_t>()));
      }
      if (what != kWhat.end()) {
        request.what = static_cast<Request::What>(what - kWhat.begin());
        if (request.what == Request::What::resume && !resumes) continue;
        out.push_back(std::move(request));
      }
    } catch (const konfig::Error&) {  // not one of ours
    }
    fs::remove(file, error);
  }
  return out;
}

}  // namespace kxm
