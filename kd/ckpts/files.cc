// The files of one checkpoint.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL  // headers only
#include <xxhash.h>

#include <cerrno>
#include <cstdio>

#include "kd/ckpts/files_impl.h"
#include "kd/core/durable.h"
#include "konfig/json.h"

namespace kd::ckpts {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

namespace {

constexpr const char* kTensors = "state.safetensors";
constexpr const char* kState = "state.json";
constexpr const char* kMetrics = "metrics.json";
constexpr std::int64_t kFormat = 1;

std::string checksum(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

// A file mapped into memory.
class Mapped {
 public:
  explicit Mapped(const fs::path& file) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) throw Damaged(file, "the file is missing");
    struct stat info;
    if (fd < 0 || ::fstat(fd, &info) != 0) fail_with_errno(file, "cannot be read", errno);
    size_ = static_cast<std::size_t>(info.st_size);
    if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    const int error = errno;
    ::close(fd);
    if (data_ == MAP_FAILED) fail_with_errno(file, "cannot be read", error);
  }
  ~Mapped() {
    if (data_) ::munmap(data_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

Value file_entry(const fs::path& file) {
  const Mapped mapped(file);
  return Dict{{"bytes", static_cast<std::int64_t>(mapped.bytes().size())},
              {"xxh3_128", checksum(mapped.bytes())}};
}

std::string json_text(const Value& value) { return konfig::to_json(value, {.indent = 1}) + "\n"; }

// The manifest guards itself, too: its last entry is the checksum of the others.
std::string manifest_text(Dict content) {
  content.set("checksum", checksum(konfig::to_json(content)));
  return konfig::to_json(content, {.indent = 1});
}

Dict read_manifest(const fs::path& folder) {
  const fs::path file = folder / kManifest;
  Dict content;
  std::string stored;
  try {
    for (auto& [name, value] : konfig::parse_json(Mapped(file).bytes()).as<Dict>()) {
      if (name == Value("checksum")) {
        stored = value.as<std::string>();
      } else {
        content.set(name, value);
      }
    }
  } catch (const Damaged&) {
    throw;
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    throw Damaged(file, error.what());
  }
  if (stored != checksum(konfig::to_json(content))) {
    throw Damaged(file, "its checksum does not fit its content");
  }
  const std::int64_t format = content.at("format").as<std::int64_t>();
  if (format != kFormat) {
    throw Error(ErrorKind::unsupported,
                file.string() + ": a checkpoint of format " + std::to_string(format) +
                    "; this program reads format " + std::to_string(kFormat));
  }
  return content;
}

void check_file(const fs::path& file, const Dict& entry) {
  const Mapped mapped(file);
  const auto size = static_cast<std::int64_t>(mapped.bytes().size());
  const std::int64_t wanted = entry.at("bytes").as<std::int64_t>();
  if (size != wanted) {
    throw Damaged(file, "it has " + std::to_string(size) + " bytes, " + std::to_string(wanted) +
                            " were written");
  }
  if (checksum(mapped.bytes()) != entry.at("xxh3_128").as<std::string>()) {
    throw Damaged(file, "its checksum is not that of what was written");
  }
}

}  // namespace

void write_checkpoint(const fs::path& folder, const Snapshot& snapshot, const Info& info) {
  io::TensorMap tensors;
  const Value structure = structure_of(snapshot.state, tensors);
  Dict files;
  io::save_safetensors(folder / kTensors, tensors,
                       {{"format", "kauldron"}, {"step", std::to_string(info.step)}});
  files.set(kTensors, file_entry(folder / kTensors));
  auto add = [&](const std::string& name, const Value& value) {
    write_synced(folder / name, json_text(value));
    files.set(name, file_entry(folder / name));
  };
  add(kState, structure);
  for (auto& [name, value] : snapshot.items) {
    if (name.empty() || name.find('/') != std::string::npos || name == "state" ||
        name == "metrics" || name == "manifest") {
      throw Error(ErrorKind::value, "an item of a checkpoint cannot be called '" + name + "'");
    }
    add(name + ".json", value);
  }
  if (!info.metrics.is_none()) add(kMetrics, info.metrics);
  write_synced(
      folder / kManifest,
      manifest_text(
          Dict{{"format", kFormat}, {"step", info.step}, {"time", info.time}, {"files", files}}));
}

Info read_info(const fs::path& folder) {
  const Dict manifest = read_manifest(folder);
  Info info{.step = manifest.at("step").as<std::int64_t>(),
            .time = manifest.at("time").as<double>()};
  const Dict& files = manifest.at("files").as<Dict>();
  if (auto* entry = files.find(kMetrics)) {
    check_file(folder / kMetrics, entry->as<Dict>());
    info.metrics = konfig::parse_json(read_file(folder / kMetrics));
  }
  return info;
}

Snapshot read_checkpoint(const fs::path& folder) {
  const Dict manifest = read_manifest(folder);
  const Dict& files = manifest.at("files").as<Dict>();
  for (auto& [name, entry] : files) {
    check_file(folder / name.as<std::string>(), entry.as<Dict>());
  }
  Snapshot out{.step = manifest.at("step").as<std::int64_t>()};
  const Value structure = konfig::parse_json(read_file(folder / kState));
  out.state = tree_of(structure, io::load_safetensors(folder / kTensors));
  for (auto& [key, entry] : files) {
    const std::string& name = key.as<std::string>();
    if (name == kTensors || name == kState || name == kMetrics) continue;
    out.items[fs::path(name).stem().string()] = konfig::parse_json(read_file(folder / name));
  }
  return out;
}

}  // namespace kd::ckpts
