#include "cli/metrics_files.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "konfig/json.h"

namespace cli {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Value;

namespace {

constexpr std::uint64_t kEnd = 1 << 16;  // bytes that are read at the beginning and at the end

// Text of whole lines. A later record wins.
void read_records(std::string_view text, LastMetrics& out) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == text.npos) return;  // still being written
    const Value parsed = konfig::parse_json(text.substr(0, end));
    text.remove_prefix(end + 1);
    const Dict& record = parsed.as<Dict>();
    const Value* scalars = record.find("scalars");
    if (!scalars) continue;
    out.step = record.at("step").as<std::int64_t>();
    for (auto& [name, value] : scalars->as<Dict>()) {
      out.values[name.as<std::string>()] = number_of(value);
    }
  }
}

std::string read_part(const base::File& file, std::uint64_t from, std::uint64_t size) {
  std::string out(size, '\0');
  out.resize(file.read_at(from, out.data(), size));
  return out;
}

bool has_all(const LastMetrics& these, const LastMetrics& of) {
  return std::ranges::all_of(of.values, [&](auto& v) { return these.values.contains(v.first); });
}

}  // namespace

std::vector<MetricsFile> metrics_files(const fs::path& workdir, std::error_code& error) {
  std::vector<MetricsFile> out;
  for (fs::directory_iterator it(workdir, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    const fs::path file = it->path() / "metrics.jsonl";
    if (fs::exists(file, unknown)) out.push_back({it->path().filename().string(), file});
  }
  std::ranges::sort(out, {}, &MetricsFile::collection);
  return out;
}

LastMetrics last_metrics(const fs::path& path) {
  const base::File file(path, O_RDONLY | O_CLOEXEC);
  const std::uint64_t size = fs::file_size(path);
  LastMetrics out;
  if (size > 2 * kEnd) {
    LastMetrics first;
    read_records(read_part(file, 0, kEnd), first);
    const std::string end = read_part(file, size - kEnd, kEnd);
    read_records(std::string_view(end).substr(std::min(end.find('\n'), end.size() - 1) + 1), out);
    if (!out.values.empty() && has_all(out, first)) return out;
  }
  out = {};
  read_records(read_part(file, 0, size), out);
  return out;
}

double number_of(const Value& value) {
  if (auto* whole = value.get_if<std::int64_t>()) return static_cast<double>(*whole);
  if (auto* number = value.get_if<double>()) return *number;
  return std::nan("");
}

bool fits_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

}  // namespace cli
