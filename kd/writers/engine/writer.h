// Writers: the numbers, images, histograms and texts of a run, as files and on the console.
//
//   auto writer = writers::open(trainer.writer, workdir, "train");
//   writer->write({.step = 10, .scalars = {{"losses/total", 0.25}}});
//
// One of your own is a struct with a member `open` that gives a Writer:
//
//   struct MyWriter {
//     std::unique_ptr<writers::Writer> open(const std::filesystem::path& workdir,
//                                           const std::string& collection,
//                                           std::optional<std::int64_t> resume_at) const;
//   };
//   KD_COMPONENT(kd::MetricWriter, MyWriter);
//
// A run killed at any moment leaves files that can be read; opening them again to go on at a step
// first removes what was written for that step and later ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/implement.h"
#include "kd/core/tree.h"
#include "kd/writers/metric_writer.h"

namespace kd::writers {

struct Histogram {
  Tensor tensor;
  int num_buckets = 30;
};

// Pictures as files, of one size.
struct Pictures {
  std::int64_t width = 0, height = 0;
  std::vector<std::string> files = {};  // PNG or GIF
};

// What is written at one step.
struct Record {
  template <class T>
  using Named = std::vector<std::pair<std::string, T>>;

  std::int64_t step = 0;
  Named<double> scalars = {};
  Named<Tensor> images = {};      // (n, h, w, 1 or 3), floats from 0 to 1
  Named<Pictures> pictures = {};  // images that are encoded already
  Named<Histogram> histograms = {};
  Named<std::vector<std::string>> texts = {};  // one or several, in Markdown
  Named<Tensor> arrays = {};                   // summaries that are tensors, images among them

  bool empty() const {
    return scalars.empty() && images.empty() && pictures.empty() && histograms.empty() &&
           texts.empty() && arrays.empty();
  }
};

class Writer {
 public:
  virtual ~Writer() = default;
  virtual void write(const Record& record) = 0;
  virtual void flush() {}
  // The config of the run, before its first record.
  virtual void write_config(const konfig::ConfigDict&) {}
  // The run is complete. Not called when it is stopped or fails: it may go on later.
  virtual void finish() {}
};

// All writers of a collection ("train", or an evaluator's name). With `resume_at`, what the files
// hold for that step and later ones is removed; without, they are continued as they are. An empty
// Poly, or NoopWriter, writes nothing.
std::unique_ptr<Writer> open(const Poly<MetricWriter>& options,
                             const std::filesystem::path& workdir, const std::string& collection,
                             std::optional<std::int64_t> resume_at = {});

// Adds the value of a summary to a record, by its kind: images, a Histogram record, texts. Others
// are left out.
void add_summary(Record& record, const std::string& name, const Tree& value);

struct MetricWriterOps {
  std::unique_ptr<Writer> (*open)(const void* self, const std::filesystem::path& workdir,
                                  const std::string& collection,
                                  std::optional<std::int64_t> resume_at);
};

}  // namespace kd::writers

template <>
struct kd::Implement<kd::MetricWriter> {
  using Ops = writers::MetricWriterOps;
  template <class T>
  static constexpr Ops ops = {
      [](const void* self, const std::filesystem::path& workdir, const std::string& collection,
         std::optional<std::int64_t> resume_at) -> std::unique_ptr<writers::Writer> {
        return static_cast<const T*>(self)->open(workdir, collection, resume_at);
      }};
};
