// The command line of a job, made once and completed for each unit.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kxm/make_plan.h"
#include "kxm/overlay_impl.h"
#include "kxm/proxies.h"
#include "kxm/resolved_job_impl.h"

namespace kxm::detail {

class Command {
 public:
  // `argv` is the program and what comes before the arguments.
  Command(const ResolvedJob& job, std::vector<std::string> argv, Dialect dialect,
          const std::map<std::string, std::string>& files);

  // With the arguments of one unit; those that the job has already are left out. What the unit sets
  // for this job alone counts most.
  void complete(PlannedJob& out, const SweepItem& sweep, const Overlay& own,
                ProxyValues& values) const;
  bool has(const std::string& key) const { return keys_.contains(key); }
  const konfig::Value& value(const std::string& key) const { return args_[keys_.at(key)].value; }
  const std::vector<std::string>& keys() const { return order_; }
  const std::map<std::string, std::string>& files() const { return files_; }
  const std::string& job() const { return name_; }

 private:
  struct Arg {
    std::string key;
    konfig::Value value;
    std::string text;   // of a value without proxies
    bool fixed = true;  // has none
  };
  std::string text_of(const std::string& key, const konfig::Value& value) const;
  void complete_program(PlannedJob& out, const SweepItem& sweep, const konfig::Dict& own,
                        ProxyValues& values) const;
  void complete_xmanager(PlannedJob& out, const konfig::Dict& sweep, const konfig::Dict& own,
                         ProxyValues& values) const;
  bool debug(const char* field, bool otherwise) const;

  std::string name_;
  std::string cfg_flag_;  // "cfg.": flags of a config, whose texts are read as values
  std::vector<std::string> argv_;
  Dialect dialect_;
  std::map<std::string, std::string> files_;  // by name: where the kept copy is
  std::vector<Arg> args_;
  std::vector<std::string> order_;
  std::unordered_map<std::string, std::size_t> keys_;
  std::vector<std::pair<std::string, std::string>> env_;
  konfig::Dict debug_;
  bool jax_ = true;
};

}  // namespace kxm::detail
