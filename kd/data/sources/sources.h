// Sources: where records come from. Each is a plain struct for `DataSource{.data_source = ...}`.
//
//   ds.data_source = data::Csv{.path = "iris.csv"};
//   ds.data_source = data::ImageFolder{.path = "flowers/train"};
//   ds.data_source = data::TfRecord{.paths = {"a.tfrecord"}, .images = {{"image", 3}}};
//
// Files are mapped, not read, until a record is asked for; kd/data/engine/records.h tells how to
// write one's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/data/sources/source.h"

namespace kd::data {

class Records;

// Tensors in IDX files, packed by gzip or not; the rows of all are the records.
struct Idx {
  Map<std::string> files = {};  // name of the element to path

  std::shared_ptr<const Records> open() const;
};

// Arrays in NPY files; the rows of all are the records.
struct Npy {
  Map<std::string> files = {};  // name of the element to path

  std::shared_ptr<const Records> open() const;
};

// The arrays of an NPZ file; their rows are the records.
struct Npz {
  Required<std::string> path;  // the file

  std::shared_ptr<const Records> open() const;
};

// The tensors of a safetensors file; their rows are the records.
struct Safetensors {
  Required<std::string> path;  // the file

  std::shared_ptr<const Records> open() const;
};

// A table of text. Columns of whole numbers become int64, of numbers float64, others texts.
struct Csv {
  Required<std::string> path;             // the file, packed by gzip or not
  std::string separator = ",";            // between the cells: one character
  bool header = true;                     // the first line has the names of the columns
  std::vector<std::string> columns = {};  // the names, where the file has none

  std::shared_ptr<const Records> open() const;
};

// A JSON object on each line.
struct JsonLines {
  Required<std::string> path;  // the file, packed by gzip or not

  std::shared_ptr<const Records> open() const;
};

// A JSON file with a list of objects, kept in memory.
struct JsonList {
  Required<std::string> path;  // the file

  std::shared_ptr<const Records> open() const;
};

// Pictures (PNG, JPEG) in one folder for each class: "image", "label" and "filename".
struct ImageFolder {
  Required<std::string> path;  // the folder of folders
  int channels = 3;            // 1: grey, 3: colour, 4: with transparency; 0: as stored

  std::shared_ptr<const Records> open() const;
};

// The binary version of CIFAR-10 or CIFAR-100: "image", "label", and "coarse_label" of the latter.
struct Cifar {
  Required<std::string> path;   // the folder, or its .tar.gz
  Required<std::string> split;  // "train", "test[:10%]", ...

  std::shared_ptr<const Records> open() const;
};

// Files of tf.train.Example. Numbers come as vectors, bytes as texts, unless they are pictures.
struct TfRecord {
  std::vector<std::string> paths = {};  // the files, in order
  Map<int> images = {};                 // elements that are pictures: their channels, 0: as stored
  std::vector<std::string> features = {};  // which elements; none: all

  std::shared_ptr<const Records> open() const;
};

// A folder that TFDS prepared (with dataset_info.json in it).
struct TfdsFolder {
  Required<std::string> path;              // ".../mnist/3.0.1"
  Required<std::string> split;             // "train", "test[:90%]"
  std::vector<std::string> features = {};  // which elements; none: all

  std::shared_ptr<const Records> open() const;
};

}  // namespace kd::data

KONFIG_COMPONENT(kd::Source, kd::data::Idx);
KONFIG_COMPONENT(kd::Source, kd::data::Npy);
KONFIG_COMPONENT(kd::Source, kd::data::Npz);
KONFIG_COMPONENT(kd::Source, kd::data::Safetensors);
KONFIG_COMPONENT(kd::Source, kd::data::Csv);
KONFIG_COMPONENT(kd::Source, kd::data::JsonLines);
KONFIG_COMPONENT(kd::Source, kd::data::JsonList);
KONFIG_COMPONENT(kd::Source, kd::data::ImageFolder);
KONFIG_COMPONENT(kd::Source, kd::data::Cifar);
KONFIG_COMPONENT(kd::Source, kd::data::TfRecord);
KONFIG_COMPONENT(kd::Source, kd::data::TfdsFolder);
