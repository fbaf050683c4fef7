#include "kxm/requirements.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/join.h"
#include "konfig/load.h"
#include "konfig/suggest.h"

namespace kxm {
namespace {

using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

struct Known {
  std::string_view spelled;
  ResourceName is;
};
constexpr auto kGpu = ResourceKind::gpu;
constexpr auto kTpu = ResourceKind::tpu;
// The first spelling of a name is the one that is written.
constexpr Known kKnown[] = {
    {"cpu", {"cpu"}},
    {"ram", {"ram"}},
    {"memory", {"ram"}},
    {"disk", {"disk"}},
    {"ephemeral_storage", {"disk"}},
    {"gpu", {"gpu", kGpu}},
    {"local_gpu", {"gpu", kGpu}},
    {"p4", {"p4", kGpu}},
    {"t4", {"t4", kGpu}},
    {"p100", {"p100", kGpu}},
    {"v100", {"v100", kGpu}},
    {"l4", {"l4", kGpu}},
    {"l40s", {"l40s", kGpu}},
    {"a100", {"a100", kGpu}},
    {"a100_80gib", {"a100_80gib", kGpu}},
    {"h100", {"h100", kGpu}},
    {"h200", {"h200", kGpu}},
    {"b200", {"b200", kGpu}},
    {"gb200", {"gb200", kGpu}},
    {"rtx3090", {"rtx3090", kGpu}},
    {"rtx4090", {"rtx4090", kGpu}},
    {"jf", {"jf", kTpu}},
    {"tpu_v2", {"jf", kTpu}},
    {"df", {"df", kTpu}},
    {"tpu_v3", {"df", kTpu}},
    {"pf", {"pf", kTpu}},
    {"tpu_v4", {"pf", kTpu}},
    {"vf", {"vf", kTpu}},
    {"tpu_v5p", {"vf", kTpu}},
    {"vlp", {"vlp", kTpu}},
    {"tpu_v5e", {"vlp", kTpu}},
    {"glp", {"glp", kTpu}},
    {"tpu_v6e", {"glp", kTpu}},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::optional<double> number_before(std::string_view text, std::string_view& rest) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<double> unit_of(const std::string& unit) {
  static const std::map<std::string, double> kUnits = {{"", 1},
                                                       {"b", 1},
                                                       {"k", 1024},
                                                       {"kib", 1024},
                                                       {"kb", 1e3},
                                                       {"m", 1048576},
                                                       {"mib", 1048576},
                                                       {"mb", 1e6},
                                                       {"g", 1073741824},
                                                       {"gib", 1073741824},
                                                       {"gb", 1e9},
                                                       {"t", 1099511627776},
                                                       {"tib", 1099511627776},
                                                       {"tb", 1e12},
                                                       {"p", 1125899906842624},
                                                       {"pib", 1125899906842624},
                                                       {"pb", 1e15}};
  auto it = kUnits.find(unit);
  return it == kUnits.end() ? std::nullopt : std::optional(it->second);
}

std::int64_t parse_seconds(const Value& value) {
  auto fail = [&]() -> std::int64_t {
    throw Error(ErrorKind::value,
                "time: expected a time such as 90 (seconds), \"30min\" or \"2h\", got " +
                    konfig::describe(value));
  };
  if (auto* whole = value.get_if<std::int64_t>()) return *whole > 0 ? *whole : fail();
  auto* text = value.get_if<std::string>();
  std::string_view rest;
  const auto number = text ? number_before(*text, rest) : std::nullopt;
  static const std::map<std::string, double> kUnits = {{"s", 1},  {"", 1},     {"min", 60},
                                                       {"m", 60}, {"h", 3600}, {"d", 86400}};
  auto unit = kUnits.find(std::string(rest));
  if (!number || unit == kUnits.end() || *number <= 0 || *number * unit->second > 1e10) fail();
  return static_cast<std::int64_t>(std::ceil(*number * unit->second));
}

void set_replicas(Requirements& out, const Value& value) {
  const auto* whole = value.get_if<std::int64_t>();
  if (!whole || *whole < 1 || *whole > 1'000'000) {
    throw Error(ErrorKind::value,
                "replicas: expected a positive whole number, got " + konfig::describe(value));
  }
  if (out.replicas) throw Error(ErrorKind::value, "replicas: given twice; give it once");
  out.replicas = static_cast<int>(*whole);
}

void check_replicas(const Requirements& r) {
  if (!r.replicas || !r.topology || r.is_tpu() || r.topology->dims.size() < 2) return;
  if (*r.replicas != r.topology->replicas()) {
    throw Error(ErrorKind::value,
                "replicas: " + std::to_string(*r.replicas) + " is given, but " + r.platform() +
                    " has " + std::to_string(r.topology->replicas()) + "; leave replicas out");
  }
}

void set_accelerator(Requirements& out, const ResourceName& found, const Value& value) {
  if (out.accelerator) {
    throw Error(ErrorKind::value, out.platform() + " and " + std::string(found.name) +
                                      ": a job has one kind of accelerator; give one of them");
  }
  if (value == Value(0)) return;  // none of them
  Topology topology;
  if (auto* whole = value.get_if<std::int64_t>()) {
    topology = parse_topology(std::to_string(*whole));
  } else if (auto* text = value.get_if<std::string>()) {
    topology = parse_topology(*text);
  } else {
    throw Error(ErrorKind::type, std::string(found.name) +
                                     ": expected how many, such as 1 or \"2x2\", got " +
                                     konfig::describe(value));
  }
  out.accelerator = std::string(found.name);
  out.topology = topology;
}

void set_amount(Requirements& out, const ResourceName& found, const Value& value) {
  const std::string name(found.name);
  if (out.amounts.contains(name)) {
    throw Error(ErrorKind::value, name + ": given twice; give it once");
  }
  try {
    out.amounts[name] = parse_amount(value);
  } catch (const Error& e) {
    throw e.within(name);
  }
}

}  // namespace

int Topology::chips() const {
  int out = 1;
  for (int dim : dims) out *= dim;
  return out;
}
int Topology::replicas() const {
  int out = 1;
  for (std::size_t i = 1; i < dims.size(); ++i) out *= dims[i];
  return out;
}

Topology parse_topology(std::string_view text) {
  auto fail = [&] {
    throw Error(ErrorKind::value, "'" + std::string(text.substr(0, 60)) +
                                      "' is no number of chips; write 4, 2x2 or 4x4_twisted");
  };
  Topology out{.text = std::string(text), .dims = {}};
  std::string_view rest = text.substr(0, text.find('_'));
  const auto suffix = text.substr(rest.size());
  if (!suffix.empty() && suffix != "_twisted" && suffix != "_untwisted") fail();
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t chips = 1;
  while (true) {
    int dim = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), dim);
    if (error != std::errc() || dim < 1 || dim > kMost || (chips *= dim) > kMost) fail();
    out.dims.push_back(dim);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.empty()) return out;
    if (rest[0] != 'x') fail();
    rest.remove_prefix(1);
  }
}

ResourceName find_resource(std::string_view name) {
  const std::string wanted = lower(name);
  std::vector<std::string> all;
  for (auto& known : kKnown) {
    if (known.spelled == wanted) return known.is;
    all.emplace_back(known.spelled);
  }
  if (wanted.starts_with("tpu")) throw Error(ErrorKind::unsupported, kNoTpus);
  throw Error(ErrorKind::key, "'" + std::string(name.substr(0, 60)) + "' is no resource" +
                                  konfig::did_you_mean(wanted, all) +
                                  " (known are cpu, ram, disk, gpu, a100, h100, v100, t4, ...; the "
                                  "settings file may name others under `platforms`)");
}

double parse_amount(const Value& value) {
  auto* whole = value.get_if<std::int64_t>();
  auto* real = value.get_if<double>();
  if (whole && *whole >= 0) return static_cast<double>(*whole);
  if (real && std::isfinite(*real) && *real >= 0) return *real;
  if (auto* text = value.get_if<std::string>()) {
    std::string_view rest;
    const auto number = number_before(*text, rest);
    const auto unit = number ? unit_of(lower(rest)) : std::nullopt;
    if (unit && *number >= 0) return *number * *unit;
  }
  throw Error(ErrorKind::value,
              "expected an amount such as 4 or \"16GiB\", got " + konfig::describe(value));
}

std::string Requirements::platform() const {
  return accelerator ? *accelerator + "=" + topology->text : "cpu";
}
bool Requirements::is_tpu() const {
  return accelerator && find_resource(*accelerator).kind == ResourceKind::tpu;
}

konfig::Dict Requirements::fields() const {
  konfig::Dict out{{konfig::kQualname, "xmanager.xm:JobRequirements"}};
  for (auto& [name, amount] : amounts) out.set(name, amount);
  if (replicas) out.set("replicas", *replicas);
  if (seconds) out.set("time", *seconds);
  for (auto& [name, value] : others) out.set(name, value);
  return out;
}

Resources Requirements::resources() const {
  Resources out;
  auto amount = [&](const char* name) {
    auto it = amounts.find(name);
    return it == amounts.end() ? 0.0 : it->second;
  };
  out.cpus = amount("cpu");
  constexpr double kMost = 9e18;
  out.memory = static_cast<std::int64_t>(std::min(amount("ram"), kMost));
  if (topology && !is_tpu()) {
    out.gpus = topology->dims[0];
    if (*accelerator != "gpu") out.gpu_type = *accelerator;
    out.replicas = topology->replicas();
  }
  if (replicas) out.replicas = *replicas;
  out.seconds = seconds.value_or(0);
  return out;
}

namespace {

// A name of the settings file in place of a platform.
std::string expanded(std::string_view platform, const std::map<std::string, std::string>& names) {
  const auto name = platform.substr(0, platform.find('='));
  const auto size = platform.substr(name.size());
  const auto it = names.find(std::string(name));
  if (it == names.end()) return std::string(platform);
  if (!size.empty() && it->second.find('=') != std::string::npos) {
    throw Error(ErrorKind::value, "platform '" + std::string(platform) + "': '" +
                                      std::string(name) + "' is " + it->second +
                                      " in launch.yaml, which has a size; leave '" +
                                      std::string(size) + "' out");
  }
  return it->second + std::string(size);
}

}  // namespace

void add_platform(Requirements& out, std::string_view platform,
                  const std::map<std::string, std::string>& names) {
  const std::string meant = expanded(platform, names);
  platform = meant;
  const auto equals = platform.find('=');
  const auto name = platform.substr(0, equals);
  const auto size = equals == platform.npos ? std::string_view() : platform.substr(equals + 1);
  try {
    const ResourceName found = find_resource(name);
    if (found.kind == ResourceKind::amount) {
      if (found.name != "cpu") {
        throw Error(ErrorKind::value, "'" + std::string(name) +
                                          "' is no platform but an amount; give it as "
                                          "requirements." +
                                          std::string(found.name));
      }
      if (!size.empty()) set_amount(out, found, size);
    } else {
      set_accelerator(out, found, equals == platform.npos ? Value("1") : Value(size));
    }
    check_replicas(out);
  } catch (const Error& e) {
    throw Error(e.kind(), "platform '" + std::string(platform.substr(0, 60)) + "': " + e.what());
  }
}

Requirements merged(const Requirements& base, const Requirements& other) {
  Requirements out = base;
  for (auto& [name, amount] : other.amounts) out.amounts[name] = amount;
  if (other.accelerator) {
    out.accelerator = other.accelerator;
    out.topology = other.topology;
  }
  if (other.replicas) out.replicas = other.replicas;
  if (other.seconds) out.seconds = other.seconds;
  out.others = konfig::Dict();
  for (auto* from : {&base.others, &other.others}) {
    for (auto& [name, value] : *from) out.others.set(name, value);
  }
  check_replicas(out);
  return out;
}

std::string time_text(std::int64_t seconds) {
  constexpr std::pair<std::int64_t, std::string_view> kUnits[] = {
      {86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  std::string out;
  for (const auto& [size, name] : kUnits) {
    if (seconds < size) continue;
    out += (out.empty() ? "" : " ") + std::to_string(seconds / size) + " " + std::string(name);
    seconds %= size;
  }
  return out.empty() ? "0 s" : out;
}

namespace {

std::string number_text(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return (static_cast<double>(whole) == value ? Value(whole) : Value(value)).repr();
}

std::string memory_text(std::int64_t bytes) {
  constexpr std::int64_t kGib = 1 << 30;
  if (bytes % kGib == 0) return std::to_string(bytes / kGib) + " GiB";
  return number_text(std::round(static_cast<double>(bytes) / (1 << 20) * 10) / 10) + " MiB";
}

std::string count_text(double count, const std::string& what) {
  return number_text(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string needs_text(const Resources& r) {
  std::vector<std::string> out;
  if (r.cpus > 0) out.push_back(count_text(r.cpus, "CPU"));
  if (r.memory > 0) out.push_back(memory_text(r.memory) + " of memory");
  if (r.gpus > 0)
    out.push_back(count_text(r.gpus, r.gpu_type + (r.gpu_type.empty() ? "" : " ") + "GPU"));
  if (r.replicas > 1 && !out.empty())
    out.back() += " for each of " + std::to_string(r.replicas) + " tasks";
  if (r.replicas > 1 && out.empty()) out.push_back(std::to_string(r.replicas) + " tasks");
  if (r.seconds > 0) out.push_back(time_text(r.seconds) + " of time");
  if (!r.place.empty()) out.push_back("cell " + r.place);
  if (!r.container.empty()) out.push_back("container " + r.container);
  return base::join(out, ", ");
}

void add_requirements(Requirements& out, const konfig::Dict& fields) {
  for (auto& [k, v] : fields) {
    const std::string name = k.is<std::string>() ? k.as<std::string>() : k.repr();
    if (name == konfig::kQualname || v.is_none()) continue;
    try {
      if (name == "0" || name == "resources") {
        if (auto* dict = v.get_if<konfig::Dict>()) add_requirements(out, *dict);
      } else if (name == "replicas") {
        set_replicas(out, v);
      } else if (name == "time") {
        out.seconds = parse_seconds(v);
      } else if (name == "location" || name == "service_tier" || name == "priority") {
        out.others.set(name, v);
      } else if (const ResourceName found = find_resource(name);
                 found.kind == ResourceKind::amount) {
        set_amount(out, found, v);
      } else {
        set_accelerator(out, found, v);
      }
    } catch (const Error& e) {
      // Not a place in a config.
      throw Error(e.kind(),
                  "requirements: " + (e.path().empty() ? "" : e.path() + ": ") + e.message());
    }
  }
  check_replicas(out);
}

}  // namespace kxm
