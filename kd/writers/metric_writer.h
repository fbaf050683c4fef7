// Where the numbers, images and texts of a run are written. What it does, and one of your own, is
// in kd/writers/engine/writer.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kd/core/interfaces.h"
#include "konfig/config_dict.h"
#include "konfig/inherit.h"

namespace kd {

class MetricWriter;  // where a run's numbers go

}  // namespace kd

namespace kd::writers {

class Writer;  // kd/writers/engine/writer.h

// To files in <workdir>/<collection>/, and to the console.
struct KDMetricWriter {
  konfig::Inherit<std::optional<std::string>, "workdir"> workdir = inherit;  // the run's folder
  bool tensorboard = true;    // event files, for TensorBoard: all there is
  bool csv = true;            // metrics.csv: numbers, a row for each step
  bool json_lines = true;     // metrics.jsonl: numbers and texts, a line for each step
  bool console = true;        // a line for each step
  bool add_artifacts = true;  // no effect: there is no XManager
  std::unique_ptr<Writer> open(const std::filesystem::path& run, const std::string& collection,
                               std::optional<std::int64_t> resume_at) const;
};

// The same, and the arrays of summaries as numpy's files, array_dumps/<collection>/000000100.npz.
struct NpzWriter {
  konfig::Inherit<std::optional<std::string>, "workdir"> workdir = inherit;  // the run's folder
  std::optional<std::vector<std::string>> key_patterns = {};  // regular expressions; None: all
  bool save_scalars = false;                                  // losses and metrics, too
  std::optional<std::string> output_dir = {};  // None: <workdir>/array_dumps/<collection>
  konfig::ConfigDict static_info = {};         // numbers put into every file
  bool tensorboard = true;                     // as in KDMetricWriter
  bool csv = true;                             // as in KDMetricWriter
  bool json_lines = true;                      // as in KDMetricWriter
  bool console = true;                         // as in KDMetricWriter
  bool add_artifacts = true;                   // no effect: there is no XManager
  std::unique_ptr<Writer> open(const std::filesystem::path& run, const std::string& collection,
                               std::optional<std::int64_t> resume_at) const;
};

// The same, and videos (uint8, n time height width 1 or 3) as animated images for TensorBoard.
struct GifVideoWriter {
  konfig::Inherit<std::optional<std::string>, "workdir"> workdir = inherit;  // the run's folder
  bool write_video_summaries = true;                                         // else without them
  bool tensorboard = true;    // as in KDMetricWriter; videos need it
  bool csv = true;            // as in KDMetricWriter
  bool json_lines = true;     // as in KDMetricWriter
  bool console = true;        // as in KDMetricWriter
  bool add_artifacts = true;  // no effect: there is no XManager
  std::unique_ptr<Writer> open(const std::filesystem::path& run, const std::string& collection,
                               std::optional<std::int64_t> resume_at) const;
};

// To an MLflow server. Its client is a Python package: configs that name it are read, but do not
// run.
struct MLFlowMetricWriter {
  konfig::Inherit<std::optional<std::string>, "workdir"> workdir = inherit;  // the run's folder
  bool pass_to_default_writer = true;  // to files and the console, too
  bool add_artifacts = true;           // no effect: there is no XManager
  std::unique_ptr<Writer> open(const std::filesystem::path& run, const std::string& collection,
                               std::optional<std::int64_t> resume_at) const;
};

// To several places, in this order: `MultiWriter{{KDMetricWriter{}, MyWriter{}}}`.
struct MultiWriter {
  std::vector<Poly<MetricWriter>> writers = {};  // each gets everything
  std::unique_ptr<Writer> open(const std::filesystem::path& run, const std::string& collection,
                               std::optional<std::int64_t> resume_at) const;
};

// Nowhere.
struct NoopWriter {
  std::unique_ptr<Writer> open(const std::filesystem::path& run, const std::string& collection,
                               std::optional<std::int64_t> resume_at) const;
};

}  // namespace kd::writers

// Kauldron's configs have them in kd.train.
namespace kd::train {
using writers::GifVideoWriter;
using writers::KDMetricWriter;
using writers::MLFlowMetricWriter;
using writers::MultiWriter;
using writers::NoopWriter;
using writers::NpzWriter;
}  // namespace kd::train

KONFIG_COMPONENT(kd::MetricWriter, kd::writers::KDMetricWriter, "kauldron.kd:train.KDMetricWriter");
KONFIG_COMPONENT(kd::MetricWriter, kd::writers::NpzWriter, "kauldron.kd:contrib.train.NpzWriter",
                 "kauldron.contrib.train:NpzWriter");
KONFIG_COMPONENT(kd::MetricWriter, kd::writers::GifVideoWriter,
                 "kauldron.kd:contrib.train.GifVideoWriter",
                 "kauldron.contrib.train:GifVideoWriter");
KONFIG_COMPONENT(kd::MetricWriter, kd::writers::MLFlowMetricWriter,
                 "kauldron.kd:contrib.train.MLFlowMetricWriter",
                 "kauldron.contrib.train:MLFlowMetricWriter");
KONFIG_COMPONENT(kd::MetricWriter, kd::writers::MultiWriter, "kd.train:MultiWriter");
KONFIG_COMPONENT(kd::MetricWriter, kd::writers::NoopWriter, "kauldron.kd:train.NoopWriter");
