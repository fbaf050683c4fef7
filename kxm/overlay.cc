#include <algorithm>

#include "base/join.h"
#include "konfig/load.h"
#include "konfig/suggest.h"
#include "kxm/argv.h"
#include "kxm/overlay_impl.h"

namespace kxm::detail {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

const Dict& dict_of(const Value& value, const std::string& place, const char* what) {
  if (auto* dict = value.get_if<Dict>()) return *dict;
  throw Error(ErrorKind::type, place + ": expected " + what + ", got " + konfig::describe(value));
}

Overlay overlay_of(const Dict& given, const std::string& place) {
  Overlay out;
  for (auto& [k, v] : given) {
    const std::string key = k.is<std::string>() ? k.as<std::string>() : k.repr();
    const std::string at = place + "." + key;
    if (key == "args") {
      out.args = dict_of(v, at, "a map of arguments, such as {\"lr\": 0.1}");
    } else if (key == "env_vars") {
      out.env_vars = dict_of(v, at, "a map of environment variables");
      for (auto& [name, text] : out.env_vars) check_env_name(name.as<std::string>());
    } else {
      throw Error(ErrorKind::key, at + ": a job takes args and env_vars here" +
                                      konfig::did_you_mean(key, {"args", "env_vars"}));
    }
  }
  return out;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& jobs) : jobs_(jobs) {}

  void read(const Dict& given, const std::string& group, const std::string& place) {
    for (auto& [k, v] : given) {
      const std::string key = k.is<std::string>() ? k.as<std::string>() : k.repr();
      const std::string name = group.empty() ? key : group + "_" + key;
      const std::string at = place + "." + key;
      if (std::ranges::find(jobs_, name) != jobs_.end()) {
        found.emplace(name, overlay_of(dict_of(v, at, "a map with args and env_vars"), at));
      } else if (std::ranges::any_of(jobs_,
                                     [&](auto& job) { return job.starts_with(name + "_"); })) {
        read(dict_of(v, at, "a map of jobs"), name, at);
      } else {
        throw Error(ErrorKind::key, at + ": no such job" + konfig::did_you_mean(name, jobs_) +
                                        "; there are " + base::join(jobs_, ", "));
      }
    }
  }

  std::map<std::string, Overlay> found;

 private:
  const std::vector<std::string>& jobs_;
};

}  // namespace

std::map<std::string, Overlay> read_overlays(const Dict& per_job,
                                             const std::vector<std::string>& jobs) {
  Reader reader(jobs);
  reader.read(per_job, "", "per_job");
  return std::move(reader.found);
}

}  // namespace kxm::detail
