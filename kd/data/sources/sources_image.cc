// Sources of pictures: folders, and CIFAR's files.
#include <ATen/ops/from_blob.h>
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>
#include <filesystem>

#include "kd/data/engine/records.h"
#include "kd/data/engine/tfds_folder.h"
#include "kd/data/formats.h"
#include "kd/data/sources/sources.h"
#include "kd/io/errors.h"
#include "kd/io/file.h"
#include "kd/io/image.h"
#include "kd/io/tar.h"

namespace kd::data {

namespace fs = std::filesystem;

namespace {

bool is_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) out.push_back(entry.path());
  if (error) fail_in_file(folder.string(), "cannot be read: " + error.message());
  std::ranges::sort(out);
  return out;
}

class FolderRecords final : public Records {
 public:
  FolderRecords(const std::string& folder, int channels) : channels_(channels) {
    std::int64_t label = 0;
    for (const fs::path& entry : sorted_entries(folder)) {
      if (!fs::is_directory(entry)) continue;
      for (const fs::path& file : sorted_entries(entry)) {
        if (is_picture(file)) files_.push_back({file.string(), label});
      }
      ++label;
    }
    if (files_.empty()) {
      fail_in_file(folder, "there are no pictures; they stand in one folder for each class");
    }
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(files_.size()); }
  Tree read(std::int64_t i) const override {
    return record(
        i, [&](const Bytes& bytes) { return decode_image(bytes.data, channels_, bytes.path); });
  }
  Tree read_part(std::int64_t i, const std::string& element,
                 const ChooseBox& choose) const override {
    if (element != "image") return Records::read_part(i, element, choose);
    return record(i, [&](const Bytes& bytes) {
      return decode_image_part(bytes.data, channels_, bytes.path, choose);
    });
  }

 private:
  template <class Decode>
  Tree record(std::int64_t i, const Decode& decode) const {
    const auto& [path, label] = files_[static_cast<std::size_t>(i)];
    return Tree::dict({{"image", decode(map_file(path))},
                       {"label", at::scalar_tensor(label, at::kLong)},
                       {"filename", Tree(Tree::Texts{path})}});
  }

  struct File {
    std::string path;
    std::int64_t label;
  };
  int channels_;
  std::vector<File> files_;
};

// Records of one or two labels and three planes of 32 x 32 bytes.
class CifarRecords final : public Records {
 public:
  static constexpr std::int64_t kSide = 32, kPixels = 3 * kSide * kSide;

  CifarRecords(std::vector<Bytes> files, int labels) : files_(std::move(files)), labels_(labels) {
    const auto each = static_cast<std::uint64_t>(kPixels + labels);
    for (const Bytes& bytes : files_) {
      if (bytes.size() == 0 || bytes.size() % each != 0) {
        fail_in_file(bytes.path, bytes.size() / each * each,
                     "the file ends within a record of " + std::to_string(each) + " bytes");
      }
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) +
                      static_cast<std::int64_t>(bytes.size() / each));
    }
  }
  std::int64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  Tree read(std::int64_t i) const override {
    const auto file = static_cast<std::size_t>(std::ranges::upper_bound(ends_, i) - ends_.begin());
    const std::int64_t place = i - (file > 0 ? ends_[file - 1] : 0);
    const Bytes& bytes = files_[file];
    const auto at = static_cast<std::uint64_t>(place * (kPixels + labels_));
    const auto label = [&](int k) {
      return at::scalar_tensor(
          static_cast<unsigned char>(bytes.data[at + static_cast<std::uint64_t>(k)]), at::kLong);
    };
    const Tensor planes =
        tensor_at(bytes, at + static_cast<std::uint64_t>(labels_), {3, kSide, kSide}, at::kByte);
    Tree out = Tree::dict({{"image", planes.permute({1, 2, 0}).contiguous()}});
    out["label"] = label(labels_ - 1);
    if (labels_ == 2) out["coarse_label"] = label(0);
    return out;
  }

 private:
  std::vector<Bytes> files_;
  int labels_;
  std::vector<std::int64_t> ends_;
};

// The files of both versions, by split.
struct CifarFiles {
  std::vector<std::string> train, test;
  int labels;
};
const CifarFiles kCifar10 = {{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                              "data_batch_4.bin", "data_batch_5.bin"},
                             {"test_batch.bin"},
                             1};
const CifarFiles kCifar100 = {{"train.bin"}, {"test.bin"}, 2};

// Files by name, from a folder or from a packed one.
std::vector<std::pair<std::string, Bytes>> binary_files(const std::string& path) {
  std::vector<std::pair<std::string, Bytes>> out;
  if (fs::is_directory(path)) {
    for (const fs::path& file : sorted_entries(path)) {
      if (file.extension() == ".bin")
        out.emplace_back(file.filename().string(), map_file(file.string()));
    }
    return out;
  }
  const Bytes packed = map_file(path);
  constexpr std::uint64_t kMostRatio = 1033;  // of deflate
  for (auto& [name, bytes] : read_tar(unpacked(packed, packed.size() * kMostRatio))) {
    out.emplace_back(fs::path(name).filename().string(), bytes);
  }
  return out;
}

RecordsPtr open_cifar(const std::string& path, const std::string& split) {
  const auto files = binary_files(path);
  auto find = [&](const std::string& name) -> const Bytes* {
    for (auto& [known, bytes] : files) {
      if (known == name) return &bytes;
    }
    return nullptr;
  };
  for (const CifarFiles* version : {&kCifar10, &kCifar100}) {
    if (!find(version->test[0])) continue;
    std::vector<RecordsPtr> splits;
    std::vector<SplitInfo> infos;
    for (auto& [name, wanted] :
         {std::pair("train", &version->train), std::pair("test", &version->test)}) {
      std::vector<Bytes> parts;
      for (const std::string& file : *wanted) {
        const Bytes* bytes = find(file);
        if (!bytes) fail_in_file(path, "there is no " + file);
        parts.push_back(*bytes);
      }
      splits.push_back(std::make_shared<CifarRecords>(std::move(parts), version->labels));
      infos.push_back({name, {splits.back()->size()}});
    }
    auto ranges = split_ranges(split, infos);
    return joined_ranges(std::move(splits), std::move(ranges));
  }
  fail_in_file(path, "there is neither test_batch.bin (CIFAR-10) nor test.bin (CIFAR-100)");
}

}  // namespace

RecordsPtr ImageFolder::open() const { return std::make_shared<FolderRecords>(*path, channels); }

RecordsPtr Cifar::open() const { return open_cifar(*path, *split); }

}  // namespace kd::data
