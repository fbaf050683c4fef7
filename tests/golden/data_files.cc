// Golden cases of file formats.
#include <filesystem>
#include <numeric>

#include "base/sha256.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/sources/sources.h"
#include "kd/io/array_record.h"
#include "kd/io/checksum.h"
#include "kd/io/example.h"
#include "kd/io/idx.h"
#include "kd/io/tfrecord.h"
#include "tests/golden/base64.h"
#include "tests/golden/data_case.h"

namespace golden {

using namespace kd::data;
using kd::Tensor;
using kd::Tree;
using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

std::string folder_of(const DataCase& c) {
  return golden_folder() + "/data/" + c.args.at("folder").as<std::string>();
}

std::string sha_of(const Tensor& tensor) {
  const Tensor packed = tensor.contiguous();
  return base::sha256({static_cast<const char*>(packed.const_data_ptr()), packed.nbytes()});
}

// "train-*-ubyte.gz" in the folder of Debian's package, or in $FASHION_MNIST.
Problems run_idx(const DataCase& c) {
  const char* given = std::getenv("FASHION_MNIST");
  const std::string folder = given ? given : "/usr/share/datasets/fashion-mnist";
  const std::string pattern = c.args.at("file").as<std::string>();
  const std::string start = pattern.substr(0, pattern.find('-'));
  const std::string images = folder + "/" + start + "-images-idx3-ubyte.gz",
                    labels = folder + "/" + start + "-labels-idx1-ubyte.gz";
  const Tensor x = read_idx(images), y = read_idx(labels);
  const Bytes x_file = unpacked(map_file(images), 1 << 30);
  const Bytes y_file = unpacked(map_file(labels), 1 << 30);
  List first_labels, sums, hashes, row;
  for (std::int64_t i = 0; i < 20; ++i) {
    first_labels.push_back(y[i].item().toLong());
    sums.push_back(x[i].to(at::kLong).sum().item().toLong());
    hashes.push_back(sha_of(x[i]));
  }
  for (std::int64_t i = 0; i < x.size(2); ++i) row.push_back(x[0][14][i].item().toLong());
  const Dict ours = {{"image_magic", big_endian<std::uint32_t>(x_file, 0)},
                     {"label_magic", big_endian<std::uint32_t>(y_file, 0)},
                     {"count", x.size(0)},
                     {"rows", x.size(1)},
                     {"cols", x.size(2)},
                     {"image_file_sha256", base::sha256(x_file.data)},
                     {"label_file_sha256", base::sha256(y_file.data)},
                     {"first_20_labels", first_labels},
                     {"first_20_image_sums", sums},
                     {"first_20_image_sha256", hashes},
                     {"image_0_row_14", row}};
  Problems problems;
  for (auto& [name, wanted] : c.outputs) {
    auto* found = ours.find(name);
    if (!found) return {"the runner does not know the output " + name.as<std::string>()};
    expect_same(problems, name.as<std::string>(), *found, wanted);
  }
  return problems;
}

Problems run_crc(const DataCase& c) {
  Problems problems;
  List plain, masked;
  for (const Value& text : c.args.at("data_base64").as<List>()) {
    const std::string data = base64_decode(text.as<std::string>());
    plain.push_back(crc32c(data));
    masked.push_back(masked_crc32c(data));
  }
  expect_same(problems, "crc32c", plain, c.outputs.at("crc32c"));
  expect_same(problems, "masked", masked, c.outputs.at("masked"));
  return problems;
}

Value example_value(const Example& example) {
  Dict out;
  for (auto& [key, values] : example) {
    List list;
    std::string kind;
    if (auto* texts = std::get_if<std::vector<std::string_view>>(&values)) {
      kind = "bytes_list";
      for (auto text : *texts) list.push_back(base64_encode(text));
    } else if (auto* floats = std::get_if<std::vector<float>>(&values)) {
      kind = "float_list";
      for (float x : *floats) list.push_back(x);
    } else {
      kind = "int64_list";
      for (auto n : std::get<std::vector<std::int64_t>>(values)) list.push_back(n);
    }
    out.set(key, Dict{{kind, list}});
  }
  return out;
}

std::string shard_file(const std::string& folder, const std::string& split) {
  for (auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find("-" + split + ".") != name.npos) return entry.path().string();
  }
  throw std::runtime_error("no file of " + split + " in " + folder);
}

// What a TFRecord file of the split holds.
void add_tfrecords(Dict& ours, const std::string& folder, const std::string& split) {
  const Bytes bytes = map_file(shard_file(folder, split));
  List offsets, lengths, length_crcs, data_crcs;
  const auto spans = index_tfrecords(bytes);
  for (const TfRecordSpan& span : spans) {
    offsets.push_back(span.offset - 12);
    lengths.push_back(span.size);
    length_crcs.push_back(little_endian<std::uint32_t>(bytes, span.offset - 4));
    data_crcs.push_back(masked_crc32c(tfrecord_at(bytes, span)));
  }
  ours.set(split + "_record_offsets", offsets);
  ours.set(split + "_record_lengths", lengths);
  ours.set(split + "_length_crc", length_crcs);
  ours.set(split + "_data_crc", data_crcs);
  const Example first = parse_example(tfrecord_at(bytes, spans.at(0)), "example");
  ours.set(split + "_example_0", example_value(first));
}

void add_array_records(Dict& ours, const std::string& folder, const std::string& split) {
  const ArrayRecordFile file(map_file(shard_file(folder, split)));
  List lengths, hashes;
  for (std::int64_t i = 0; i < file.size(); ++i) {
    const std::string record = file.read(i);
    lengths.push_back(record.size());
    hashes.push_back(base::sha256(record));
  }
  ours.set(split + "_num_records", file.size());
  ours.set(split + "_record_lengths", lengths);
  ours.set(split + "_record_sha256", hashes);
}

void add_pipeline(Dict& ours, const std::string& folder, const std::string& split) {
  const py::DataSource pipeline{.data_source = TfdsFolder{.path = folder, .split = split},
                                .shuffle = true,
                                .num_epochs = 1,
                                .transforms = {Elements{.keep = {"image", "label"}},
                                               ValueRange{.key = "image", .vrange = {{0, 1}}}},
                                .batch_size = 2,
                                .seed = 5};
  List labels, sums;
  for (const Tree& batch : open(konfig::Poly<kd::Pipeline>(pipeline))) {
    const Tensor y = batch["label"].tensor();
    labels.push_back(list_of({y[0].item().toLong(), y[1].item().toLong()}));
    sums.push_back(batch["image"].tensor().to(at::kDouble).sum().item().toDouble());
  }
  ours.set(split + "_pipeline_labels_seed5_batch2", labels);
  ours.set(split + "_pipeline_image_sums", sums);
}

void add_records(Dict& ours, std::map<std::string, Tensor>& tensors, const std::string& folder,
                 const std::string& split) {
  const RecordsPtr records = TfdsFolder{.path = folder, .split = split}.open();
  List order, labels, hashes;
  for (std::int64_t i = 0; i < records->size(); ++i) {
    const Tree record = records->read(i);
    order.push_back(record["name"].texts().at(0));
    labels.push_back(record["label"].tensor().item().toLong());
    hashes.push_back(sha_of(record["image"].tensor()));
  }
  ours.set(split + "_order", order);
  ours.set(split + "_labels", labels);
  ours.set(split + "_image_sha256", hashes);
  std::vector<std::int64_t> ids(static_cast<std::size_t>(records->size()));
  std::iota(ids.begin(), ids.end(), 0);
  tensors[split + "_values"] = records->gather(ids)["values"].tensor();
}

void add_files(Dict& ours, const std::string& folder) {
  Dict files;
  for (auto& entry : std::filesystem::directory_iterator(folder)) {
    const Bytes bytes = map_file(entry.path().string());
    files.set(entry.path().filename().string(),
              Dict{{"size", bytes.size()}, {"sha256", base::sha256(bytes.data)}});
  }
  ours.set("files", files);
}

// Sums of floats may be added up in another order.
bool close(const Value& ours, const Value& wanted) {
  auto *a = ours.get_if<List>(), *b = wanted.get_if<List>();
  if (!a || !b || a->size() != b->size()) return false;
  for (std::size_t i = 0; i < a->size(); ++i) {
    if (!(std::abs(number((*a)[i]) - number((*b)[i])) <= 1e-9 * std::abs(number((*b)[i]))))
      return false;
  }
  return true;
}

Problems run_tfds(const DataCase& c) {
  Problems problems;
  const std::string folder = folder_of(c);
  const bool array = c.args.at("file_format").as<std::string>() == "array_record";
  Dict ours;
  std::map<std::string, Tensor> tensors;
  add_files(ours, folder);
  for (const char* split : {"train", "test"}) {
    add_records(ours, tensors, folder, split);
    if (array) {
      add_array_records(ours, folder, split);
      add_pipeline(ours, folder, split);
    } else {
      add_tfrecords(ours, folder, split);
    }
  }
  for (auto& [key, wanted] : c.outputs) {
    const std::string name = key.as<std::string>();
    if (auto tensor = tensors.find(name); tensor != tensors.end()) {
      expect_tree(problems, name, tensor->second, wanted, c);
    } else if (name.ends_with("_image_sums")) {
      if (!close(ours.at(name), wanted)) problems.push_back(name + " differs");
    } else if (name.ends_with("_writer_options")) {
      continue;  // how the file was written, which reading does not need
    } else if (auto* found = ours.find(name)) {
      expect_same(problems, name, *found, wanted);
    } else {
      problems.push_back("the runner does not know the output " + name);
    }
  }
  return problems;
}

}  // namespace

Problems run_files(const DataCase& c) {
  if (c.name.starts_with("files/idx/")) return run_idx(c);
  if (c.name == "files/crc32c") return run_crc(c);
  return run_tfds(c);
}

// The frames of the event file; its content belongs to the writer of events.

}  // namespace golden
