// What a job takes: platforms ("a100=8", "cpu") and requirements (cpu=4, ram="16GiB").
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "konfig/value.h"
#include "kxm/plan.h"

namespace kxm {

inline constexpr const char* kNoTpus =
    "there are no TPUs here, and libtorch does not run on them; use a GPU (gpu=1, a100=1) or cpu";

// The parts of "4x2_twisted".
struct Topology {
  std::string text;
  std::vector<int> dims;
  int chips() const;     // their product
  int replicas() const;  // of GPUs: all but the first
};
// An Error when it is no topology.
Topology parse_topology(std::string_view text);

enum class ResourceKind { amount, gpu, tpu };
// What XManager calls a resource: its canonical name ("ram" of "MEMORY"), as lower-case text.
struct ResourceName {
  std::string_view name;
  ResourceKind kind = ResourceKind::amount;
};
// Upper and lower case are one. An unknown name is an Error with the nearest one.
ResourceName find_resource(std::string_view name);

// "8", 2.5, "16GiB", "500M": bytes where it is memory.
double parse_amount(const konfig::Value& value);

struct Requirements {
  std::map<std::string, double> amounts = {};   // cpu, ram, disk, ...
  std::optional<std::string> accelerator = {};  // "a100"
  std::optional<Topology> topology = {};        // of it
  std::optional<int> replicas = {};             // as given
  std::optional<std::int64_t> seconds = {};     // time limit
  konfig::Dict others = {};                     // location, service_tier, ...: kept, not used

  std::string platform() const;  // "a100=8"; "cpu" without an accelerator
  konfig::Dict fields() const;   // of a JobRequirements: all but the platform
  bool is_tpu() const;
  Resources resources() const;
};

// Reads "jf=2x2", "a100", "cpu", "cpu=4" into `out`. `names` are further ones: {"big": "a100=8",
// "fast": "h100"}, of which "fast=2" has a size.
void add_platform(Requirements& out, std::string_view platform,
                  const std::map<std::string, std::string>& names = {});
// Adds the fields of a JobRequirements; a name that is there already is an Error.
void add_requirements(Requirements& out, const konfig::Dict& fields);
// Both, as XManager merges them: what `other` has counts, and its accelerator takes the place of
// the old one.
Requirements merged(const Requirements& base, const Requirements& other);

// "4 min", "1 h 30 min", "2 d 12 h": a time limit for people.
std::string time_text(std::int64_t seconds);
// "2 CPUs, 16 GiB of memory, 1 a100 GPU, 4 min of time": what a job asks for; "" for nothing.
std::string needs_text(const Resources& resources);

}  // namespace kxm
