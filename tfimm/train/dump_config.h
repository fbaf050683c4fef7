// Configs as text: YAML as the reference writes it, flat flags, JSON.
//
//   dump_config(cfg, "runs/a/config.yaml");
//   std::cout << to_text(cfg, TextFormat::flat);
#pragma once

#include <filesystem>
#include <string>

#include "tfimm/train/formats.h"

namespace tfimm::train {

enum class TextFormat {
  yaml,  // in order, tuples as !!python/tuple: what --cfg_file reads
  flat,  // --problem.nb_classes=10, a line for each flag, quoted for xargs where it must be
  json,  // nested; tuples as lists
};

std::string to_text(const Value& cfg, TextFormat format);
template <konfig::Record T>
requires(!std::derived_from<T, konfig::PolyBase>) std::string
    to_text(const T& cfg, TextFormat format) {
  return to_text(to_object(cfg), format);
}

// Writes YAML, with the folders above it. A reader sees the old file or the whole new one.
void dump_config(const Value& cfg, const std::filesystem::path& file);
template <konfig::Record T>
requires(!std::derived_from<T, konfig::PolyBase>) void dump_config(
    const T& cfg, const std::filesystem::path& file) {
  dump_config(to_object(cfg), file);
}

}  // namespace tfimm::train
