// Sources whose records are the rows of tensors.
#include "kd/data/engine/records.h"
#include "kd/data/formats.h"
#include "kd/data/sources/sources.h"
#include "kd/io/errors.h"
#include "kd/io/idx.h"
#include "kd/io/npy.h"
#include "kd/io/safetensors.h"

namespace kd::data {

namespace {

template <class ReadFn>
RecordsPtr open_files(const Map<std::string>& files, const ReadFn& read) {
  if (files.empty()) throw Error(ErrorKind::required, "files: at least one is needed");
  Tree examples = Tree::dict();
  for (auto& [name, path] : files) examples[name] = read(path);
  return in_memory(std::move(examples));
}

}  // namespace

RecordsPtr Idx::open() const {
  return open_files(files, [](const std::string& path) { return read_idx(path); });
}

RecordsPtr Npy::open() const {
  return open_files(files, [](const std::string& path) { return parse_npy(map_file(path)); });
}

RecordsPtr Npz::open() const {
  Tree examples = Tree::dict();
  for (auto& [name, tensor] : parse_npz(map_file(*path))) examples[name] = tensor;
  return in_memory(std::move(examples));
}

RecordsPtr Safetensors::open() const {
  const SafetensorsHeader header = read_safetensors_header(*path);
  const Bytes bytes = map_file(*path);
  Tree examples = Tree::dict();
  for (const SafetensorsEntry& entry : header.entries) {
    examples[entry.name] =
        tensor_at(bytes, header.data_begin + entry.begin, entry.shape, entry.dtype);
  }
  return in_memory(std::move(examples));
}

}  // namespace kd::data
