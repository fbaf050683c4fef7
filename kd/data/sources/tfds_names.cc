// Datasets by name: prepared by TFDS, or the files as their authors publish them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/join.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/tfds_folder.h"
#include "kd/data/engine/tfds_names.h"
#include "kd/data/formats.h"
#include "kd/data/sources/sources.h"
#include "kd/io/errors.h"
#include "kd/io/idx.h"
#include "konfig/suggest.h"

namespace kd::data {

namespace fs = std::filesystem;

namespace {

// Where Debian's package dataset-fashion-mnist puts its files.
constexpr const char* kDebianFashionMnist = "/usr/share/datasets/fashion-mnist";

using Labels = std::vector<std::uint8_t>;

// Data sets in the format of MNIST, whose files all have the same names: their first labels tell
// them apart.
struct MnistLike {
  std::string name;
  Labels train, test;
};
const std::vector<MnistLike> kMnistLike = {
    {"mnist", {5, 0, 4, 1, 9, 2, 1, 3, 1, 4}, {7, 2, 1, 0, 4, 1, 4, 9, 5, 9}},
    {"fashion_mnist", {9, 0, 0, 3, 0, 2, 7, 2, 5, 5}, {9, 2, 1, 1, 6, 1, 4, 6, 5, 7}}};

bool is_mnist_like(const std::string& name) {
  return std::ranges::any_of(kMnistLike, [&](auto& known) { return known.name == name; });
}

std::optional<std::string> existing(const fs::path& folder, const std::string& file) {
  for (const std::string& ending : {std::string(), std::string(".gz")}) {
    const fs::path path = folder / (file + ending);
    std::error_code ignored;
    if (fs::exists(path, ignored)) return path.string();
  }
  return {};
}

void check_identity(const std::string& name, const std::string& path, const Tensor& labels,
                    bool train) {
  for (const MnistLike& known : kMnistLike) {
    const Labels& first = train ? known.train : known.test;
    if (known.name == name || labels.numel() < static_cast<std::int64_t>(first.size())) continue;
    if (std::equal(first.begin(), first.end(), labels.const_data_ptr<std::uint8_t>())) {
      throw Error(ErrorKind::value, path + ": this is " + known.name + ", not " + name +
                                        "; to use it, ask for it by its name");
    }
  }
}

RecordsPtr open_mnist_split(const std::string& name, const fs::path& folder, bool train) {
  const std::string start = train ? "train" : "t10k";
  const auto images = existing(folder, start + "-images-idx3-ubyte");
  const auto labels = existing(folder, start + "-labels-idx1-ubyte");
  if (!images || !labels)
    fail_in_file(folder.string(), "there is no " + start + "-labels-idx1-ubyte");
  const Tensor pixels = read_idx(*images), classes = read_idx(*labels);
  if (pixels.dim() != 3 || pixels.scalar_type() != at::kByte) {
    fail_in_file(*images, 0, "images have three dimensions of bytes");
  }
  if (classes.dim() != 1 || classes.scalar_type() != at::kByte) {
    fail_in_file(*labels, 0, "labels have one dimension of bytes");
  }
  check_identity(name, *labels, classes, train);
  return in_memory(Tree::dict({{"image", pixels.unsqueeze(-1)}, {"label", classes.to(at::kLong)}}));
}

RecordsPtr open_mnist(const std::string& name, const fs::path& folder, const std::string& split) {
  std::vector<RecordsPtr> splits;
  std::vector<SplitInfo> infos;
  for (bool train : {true, false}) {
    splits.push_back(open_mnist_split(name, folder, train));
    infos.push_back({train ? "train" : "test", {splits.back()->size()}});
  }
  auto ranges = split_ranges(split, infos);
  return joined_ranges(std::move(splits), std::move(ranges));
}

// Folders in which a dataset may be, most likely first.
std::vector<fs::path> places(const std::string& name, const std::optional<std::string>& data_dir) {
  std::vector<fs::path> out;
  if (data_dir) {
    out.push_back(*data_dir);
  } else {
    if (const char* given = std::getenv("TFDS_DATA_DIR"); given && *given) out.emplace_back(given);
    if (const char* home = std::getenv("HOME"); home && *home) {
      out.push_back(fs::path(home) / "tensorflow_datasets");
    }
    if (name == "fashion_mnist") out.emplace_back(kDebianFashionMnist);
  }
  return out;
}

// Names that would be found: of datasets that are known, and of folders.
std::vector<std::string> known_names(const std::vector<fs::path>& folders) {
  std::vector<std::string> out = {"mnist", "fashion_mnist", "cifar10", "cifar100"};
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.is_directory(ignored)) out.push_back(entry.path().filename().string());
    }
  }
  return out;
}

}  // namespace

RecordsPtr find_named(const NamedDataset& wanted) {
  const auto& [name, split, data_dir] = wanted;
  std::string dashed = name;
  std::ranges::replace(dashed, '_', '-');
  const bool mnist_like = is_mnist_like(name);
  for (const fs::path& place : places(name, data_dir)) {
    if (auto folder = find_tfds(place.string(), name)) return open_tfds(*folder, split);
    for (const fs::path& folder : {place, place / name, place / dashed}) {
      if (mnist_like && existing(folder, "train-images-idx3-ubyte")) {
        return open_mnist(name, folder, split);
      }
    }
    const bool ten = name == "cifar10", hundred = name == "cifar100";
    if (!ten && !hundred) continue;
    for (const char* file : {ten ? "cifar-10-batches-bin" : "cifar-100-binary",
                             ten ? "cifar-10-binary.tar.gz" : "cifar-100-binary.tar.gz"}) {
      for (const fs::path& folder : {place, place / name}) {
        std::error_code ignored;
        if (!fs::exists(folder / file, ignored)) continue;
        return Cifar{.path = (folder / file).string(), .split = split}.open();
      }
    }
  }
  return nullptr;
}

std::string missing_text(const NamedDataset& wanted) {
  const std::string& name = wanted.name;
  const auto folders = places(name, wanted.data_dir);
  const std::string looked =
      base::join(folders, ", ", [&](const fs::path& folder) { return (folder / name).string(); });
  std::vector<std::string> names = known_names(folders);
  std::erase(names, name);
  const bool known = is_mnist_like(name) || name.starts_with("cifar");
  return "there is no dataset '" + name + "'" + (known ? "" : konfig::did_you_mean(name, names)) +
         "; looked for " + (looked.empty() ? "no folder" : looked);
}

namespace {

[[noreturn]] void fail_missing(const NamedDataset& wanted) {
  throw Error(ErrorKind::value,
              missing_text(wanted) +
                  ". Name the folder that has it with data_dir or TFDS_DATA_DIR" +
                  (wanted.name == "fashion_mnist" ? ""
                                                  : ", or let another dataset be read in its "
                                                    "place: substitute=\"fashion_mnist\""));
}

}  // namespace

RecordsPtr py::Tfds::records() const {
  if (!decoders.is_none()) {
    throw Error(ErrorKind::unsupported, "decoders",
                "expected None: every feature is decoded; leave elements out or change them with "
                "transforms, for example kd.data.Elements(drop=[\"image\"])");
  }
  NamedDataset wanted{.name = *name, .split = *split, .data_dir = data_dir};
  if (auto found = find_named(wanted)) return found;
  if (substitute) {
    wanted.name = *substitute;
    if (auto found = find_named(wanted)) {
      std::cerr << "kd: the dataset '" << *name << "' was not found; '" << *substitute
                << "' is read instead, as the config says\n";
      return found;
    }
  }
  fail_missing(wanted);
}

}  // namespace kd::data
