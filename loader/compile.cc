#include "loader/compile_impl.h"

#include <algorithm>

#include "base/durable.h"
#include "konfig/error.h"
#include "loader/build_info_impl.h"
#include "loader/cache_impl.h"
#include "loader/compiler_impl.h"
#include "loader/files_impl.h"
#include "loader/hash.h"
#include "loader/key_order_impl.h"
#include "loader/needs_engine_impl.h"
#include "loader/program_identity_impl.h"

namespace loader {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefixHeader[] = "config_prefix.h";  // what every config file starts with

class Job {
 public:
  Job(const fs::path& file, const std::string& source)
      : file_(file),
        source_(source),
        header_(source_needs_engine(source) ? model_header() : umbrella_header()) {}

  Compiled result(bool fresh) {
    if (!fresh) {
      if (auto name = cache_.name_of(prefix_key())) {
        const auto result = cache_.name_of(file_key(*name));
        if (auto library = cache_.find(result.value_or(""))) {
          return {*library, true, own_sources(cache_.sources_of(file_key(*name))), nullptr};
        }
        if (auto folder = cache_.find(*name)) prefix_ = {*name, *folder};
      }
    }
    if (prefix_.folder.empty()) make_prefix();
    if (auto workspace = cache_.workspace()) {
      std::shared_ptr<const base::TempFolder> shared = std::move(workspace);
      if (auto out = build(shared)) return *out;
      cache_.give_up();
    }
    return build_in_private();
  }

 private:
  // The precompiled umbrella header: its name tells versions of the headers apart.
  struct Prefix {
    std::string name;
    fs::path folder;
  };

  std::string prefix_key() const { return "prefix-" + hash(header_ + '\n' + compiler_.identity); }
  std::string file_key(const std::string& prefix) const {
    return "config-" +
           hash(prefix + '\n' + compiler_.identity + fs::absolute(file_).string() + '\n' + source_);
  }

  // Compiled once; other processes that need it meanwhile wait. Without it all still works.
  void make_prefix() {
    const auto lock = cache_.lock("prefix");
    if (auto name = cache_.name_of(prefix_key())) {
      if (auto folder = cache_.find(*name)) {
        prefix_ = {*name, *folder};
        return;
      }
    }
    const auto workspace = cache_.workspace();
    if (!workspace) return;
    const auto folder = workspace->path() / "prefix";
    std::error_code error;
    fs::create_directory(folder, error);
    const auto header = folder / kPrefixHeader;
    try {
      base::write_synced(header, "#include \"" + header_ + "\"\n");
    } catch (const base::FileError&) {
      return cache_.give_up();
    }
    // From the real header: clang notes the path of what it precompiles, and the folder moves.
    const auto made = run_compiler(
        compiler_,
        {"-x", "c++-header", (include_root() / header_).string(), "-o", header.string() + ".gch"},
        workspace->path());
    if (made.disk_full) return cache_.give_up();
    if (!made.outcome.ok() || !made.stable) return;
    const auto stored =
        cache_.store(prefix_key(), "prefix-", "", folder, made.dependencies, *workspace);
    if (stored) prefix_ = {stored->filename().string(), *stored};
  }

  std::vector<std::string> arguments(const fs::path& library, bool with_prefix) const {
    const auto name = file_.string();
    const auto folder = file_.has_parent_path() ? file_.parent_path().string() : ".";
    // Forced: a kd/kd.h beside the file would hide ours, and the precompiled one comes first.
    const auto header = with_prefix ? prefix_.folder / kPrefixHeader : include_root() / header_;
    return {"-include",
            header.string(),
            "-I" + folder,
            "-shared",
            "-Wl,--allow-shlib-undefined",
            name.starts_with('-') ? "./" + name : name,
            "-o",
            library.string()};
  }

  Compilation run(const fs::path& library, const fs::path& workspace) {
    const bool with_prefix = !prefix_.folder.empty();
    auto made = run_compiler(compiler_, arguments(library, with_prefix), workspace);
    std::error_code error;
    if (with_prefix && !made.outcome.ok() && !fs::exists(prefix_.folder / kPrefixHeader, error)) {
      // Another process cleaned up the cache in this very moment.
      made = run_compiler(compiler_, arguments(library, false), workspace);
      prefix_ = {};
    }
    return made;
  }

  // Empty when the disk is full there.
  std::optional<Compiled> build(const std::shared_ptr<const base::TempFolder>& workspace) {
    const auto library = workspace->path() / "config.so";
    auto made = run(library, workspace->path());
    if (made.outcome.ok()) {
      std::optional<fs::path> stored;
      if (made.stable && !prefix_.name.empty() && base::try_read_file(file_) == source_) {
        stored = cache_.store(file_key(prefix_.name), file_.stem().string() + '-', ".so", library,
                              without_prefix(made.dependencies), *workspace);
      }
      std::vector<std::string> read;
      for (auto& dependency : made.dependencies) read.push_back(dependency.path);
      if (stored) return Compiled{*stored, false, own_sources(read), nullptr};
      return Compiled{library, false, own_sources(read), workspace};
    }
    if (made.disk_full) return std::nullopt;
    throw konfig::Error(konfig::ErrorKind::value, explain(made, file_.string()));
  }

  // Without those of this program and of the system.
  std::vector<fs::path> own_sources(const std::vector<std::string>& all) const {
    std::vector<std::string> foreign = {"/usr/", prefix_.folder.string() + '/'};
    for (auto& folder : include_dirs()) foreign.push_back((folder / "").string());
    std::vector<fs::path> out;
    for (auto& path : all) {
      const bool is_own = std::none_of(foreign.begin(), foreign.end(), [&](auto& folder) {
        return folder != "/" && path.starts_with(folder);
      });
      if (is_own || fs::path(path) == fs::absolute(file_)) out.emplace_back(path);
    }
    return out;
  }

  // The prefix is part of the key, and may be removed while the result is still good.
  std::vector<Dependency> without_prefix(const std::vector<Dependency>& all) const {
    std::vector<Dependency> out;
    for (auto& dependency : all) {
      if (!dependency.path.starts_with(prefix_.folder.string() + '/')) out.push_back(dependency);
    }
    return out;
  }

  Compiled build_in_private() {
    std::error_code error;
    const auto folder = fs::temp_directory_path(error);
    std::shared_ptr<const base::TempFolder> workspace;
    try {
      workspace = std::make_shared<const base::TempFolder>(kTempPrefix, folder);
    } catch (const fs::filesystem_error& e) {
      throw konfig::Error(konfig::ErrorKind::value,
                          file_.string() + ": no place to compile it: neither " +
                              cache_.dir().string() + " nor " + folder.string() +
                              " can be written to (" + e.code().message() +
                              "); set XDG_CACHE_HOME or TMPDIR");
    }
    if (auto out = build(workspace)) return *out;
    throw konfig::Error(konfig::ErrorKind::value,
                        file_.string() + ": no space left on the disk to compile it, neither in " +
                            cache_.dir().string() + " nor in " + folder.string() +
                            "; free some, or set XDG_CACHE_HOME or TMPDIR");
  }

  fs::path file_;
  std::string source_;
  std::string header_;  // what is precompiled for it
  Cache cache_ = Cache::open();
  Compiler compiler_ = find_compiler();
  Prefix prefix_;
};

// Looked for first: who this program is takes a while to find out.
fs::path kept_folder(const fs::path& file, const std::string& source) {
  return file.parent_path() / ("." + file.filename().string() + "." + hash(source));
}

void check_key_order(const fs::path& file, const std::string& source) {
  const std::string error = wrong_key_order(source);
  if (!error.empty()) throw konfig::Error(konfig::ErrorKind::value, file.string() + ":" + error);
}

}  // namespace

fs::path kept_library(const fs::path& file, const std::string& source) {
  return kept_folder(file, source) / (program_identity() + ".so");
}

Compiled compile(const fs::path& file, bool fresh) {
  require_file(file);
  const auto source = base::try_read_file(file);
  if (!source) {
    throw konfig::Error(konfig::ErrorKind::value, file.string() + ": cannot be read");
  }
  check_key_order(file, *source);
  std::error_code error;
  if (!fresh && fs::exists(kept_folder(file, *source), error)) {
    const fs::path kept = kept_library(file, *source);
    if (fs::exists(kept, error)) return {fs::absolute(kept), true, {}, nullptr};
  }
  Compiled out = Job(file, *source).result(fresh);
  for (auto& header : out.sources) {
    if (auto text = base::try_read_file(header)) check_key_order(header, *text);
  }
  return out;
}

}  // namespace loader
