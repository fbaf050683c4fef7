// Files that grow by whole records, and what is cut off them. Library only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "kd/writers/engine/writer.h"

namespace kd::writers {

// Appends each record with a single system call: a killed process leaves whole records, but
// perhaps half of the last one.
class AppendFile {
 public:
  explicit AppendFile(std::filesystem::path path);  // made when missing, with its folder
  void append(std::string_view record);

 private:
  base::File file_;
};

// The lines of a text file that are whole and for which `keep` says so; replaces the file when
// others were there. Missing files are fine.
std::vector<std::string> keep_lines(const std::filesystem::path& file,
                                    const std::function<bool(std::string_view)>& keep);
// The same for the records of event files; one without any summary left is removed.
void keep_events(const std::filesystem::path& file, std::optional<std::int64_t> before);

using Before = std::optional<std::int64_t>;  // steps from here on are removed

double wall_time();

// The folder above those of the collections: the writer's own, or the run's. An Error when the
// collection has no name.
std::filesystem::path folder_of(const konfig::Inherit<std::optional<std::string>, "workdir">& own,
                                const std::filesystem::path& workdir,
                                const std::string& collection);

}  // namespace kd::writers
