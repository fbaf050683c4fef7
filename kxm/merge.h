// Parameters as data: which fields were given, and how two sets of them become one.
//
// A map with `__qualname__` is an object of that type, others are plain maps. What is there was
// given, also when it equals the default.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "konfig/value.h"

namespace kxm {

// The fields of a node that were given: without empty maps and empty objects, which every node
// starts with. Proxies of configs are texts in it.
konfig::Dict given_params(const konfig::ConfigDict& node);

// Names a value for an error: "--xp.platform" of "platform".
using FlagOf = std::function<std::string(const std::string& path)>;

struct MergeOptions {
  FlagOf left = {}, right = {};  // default: "(A / B).path"
  // What to do about two values; default: about those of an experiment and its jobs.
  std::string advice = "give one of them, or --xp.on_conflict=job to let the job's count";
  bool right_wins = false;  // a value that both have: the right one, no Error
};

// The union. A value that both have must be the same, of the same type; maps are merged by key,
// objects of one type by field. Objects with the parameters of jobs become a Job.
konfig::Value merge(const konfig::Value& left, const konfig::Value& right,
                    const MergeOptions& options = {});

// The object with other fields; nullopt takes one away. A field that the type does not have is an
// Error.
konfig::Dict replace_params(
    const konfig::Dict& object,
    const std::vector<std::pair<std::string, std::optional<konfig::Value>>>& changes);

// "Job(platform='a100=1')": the given fields only.
std::string params_repr(const konfig::Value& value);

// Whether the type has the parameters of jobs: Job, Experiment, a standalone evaluator.
bool is_job_params(std::string_view qualname);
// Only what a Job has.
konfig::Dict job_fields(const konfig::Dict& params);

// The value at "debug.dump_hlo", or nullptr. Keys that contain dots are found too.
const konfig::Value* find_path(const konfig::Dict& params, std::string_view path);

}  // namespace kxm
