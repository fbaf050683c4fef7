// Removes the folders of an experiment: those that its records name, and nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kxm/state.h"

namespace kxm {

struct FilesToRemove {
  std::vector<std::filesystem::path> folders;  // of units; those that are there
  std::filesystem::path experiment;            // its folder, removed if nothing else is in it
  // Folders that somebody named (--cfg.workdir) hold more than the launch has made: they stay.
  std::vector<std::filesystem::path> outside;
};

// An Error if a folder is one that other things depend on: it holds the current folder, the home or
// the state, or the results of another experiment; if a training runs in it, whoever started it; or
// if it is reached through a link that leads out of the experiment's folder.
FilesToRemove files_to_remove(const State& state, int xid);

// Where an experiment's results are: its folder, and those of units that are not in it.
std::vector<std::filesystem::path> result_folders(const State& state, int xid);

// Links in the folders are removed, and what they lead to stays. Returns what is left of the
// experiment's folder besides its records; an Error names what could not be removed.
std::vector<std::filesystem::path> remove_files(const FilesToRemove& files);

}  // namespace kxm
