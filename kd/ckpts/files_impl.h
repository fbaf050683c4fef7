// One checkpoint as files in a folder. Library only.
//
//  state.safetensors   the tensors, named by their paths: "params.encoder.kernel"
//  state.json          how they make up a tree
//  timer.json, ...     the other items
//  metrics.json        what the evaluators measured, where that decides what is kept
//  manifest.json       step, time, and size and checksum of each file; written last
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kd/ckpts/engine/store.h"
#include "kd/ckpts/retention.h"
#include "kd/io/safetensors.h"
#include "konfig/error.h"

namespace kd::ckpts {

inline constexpr const char* kManifest = "manifest.json";

// A file that is not what was written.
class Damaged : public konfig::Error {
 public:
  Damaged(const std::filesystem::path& file, const std::string& what)
      : Error(konfig::ErrorKind::value, file.string() + ": damaged: " + what) {}
};

// Into an existing, empty folder; all of it is synced to disk.
void write_checkpoint(const std::filesystem::path& folder, const Snapshot& snapshot,
                      const Info& info);
// Checks every file first.
Snapshot read_checkpoint(const std::filesystem::path& folder);
// What the manifest says.
Info read_info(const std::filesystem::path& folder);

// The structure of a tree as JSON, and its tensors by name; and back.
konfig::Value structure_of(const Tree& tree, io::TensorMap& tensors);
Tree tree_of(const konfig::Value& structure, const io::TensorMap& tensors);

}  // namespace kd::ckpts
