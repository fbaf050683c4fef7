// Folders that come and go as a whole: one is filled aside and then gets its name, or loses it and
// is then removed. Half a folder never has the name. What fails throws a FileError.
//
//   base::write_folder("runs/a/model", [&](const std::filesystem::path& aside) {
//     base::write_synced(aside / "config.json", text);
//   });
//   base::remove_folder("runs/a/model");
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace base {

// What happens to a folder that has the name already, unless it is empty.
enum class Existing {
  refuse,   // it stays, and the new one is an error
  replace,  // it goes when the new one is complete; for a moment, no folder has the name
};

struct FolderOptions {
  Existing existing = Existing::refuse;
  mode_t mode = 0777;  // the permissions; the process's mask applies
};

// Makes a folder aside, lets `fill` write and sync its files, and gives it its name. If anything
// fails, nothing of it is left, nor what was in its way aside: a second attempt may succeed.
void write_folder(const std::filesystem::path& folder,
                  const std::function<void(const std::filesystem::path& aside)>& fill,
                  const FolderOptions& options = {});
// Gives a folder that was filled and synced elsewhere its name. False, and nothing changes, if a
// folder that is not empty has it: whoever was first wins. A file replaces a file.
bool rename_first(const std::filesystem::path& from, const std::filesystem::path& to);
// Removes a folder with all it holds, or a file; it is fine if there is none.
void remove_folder(const std::filesystem::path& folder);

// While a folder is written or removed, it has another name, "model.writing-123", which a process
// that is killed leaves behind. The name of the folder that this one was to be, or was: "model"; ""
// for any other one. Whoever knows that nobody else is writing may remove it.
std::string leftover_of(const std::filesystem::path& folder);

}  // namespace base
