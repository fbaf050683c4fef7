// An offline run of W&B: its folder and the file that grows by a row for each record. Library only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "kd/writers/files_impl.h"
#include "kd/writers/wandb_records_impl.h"

namespace kd::writers::wandb {

// Values of one row, and the files they name.
struct Values {
  Items items;
  std::vector<std::pair<std::string, std::string>> files = {};  // path below files/, and content
};

// All collections of a process write to one run. The training's is the one that wandb/latest-run
// names; a process that only evaluates has its own, in the group of the training's.
//
// A row is a record of one collection. Its number (_step) counts rows, and its value `step` is the
// x-axis: collections may log the same step, and steps in any order. Rows are only ever appended,
// in one call of the system with all that belongs to them, until the run is opened to go on: then
// the file is written anew without the rows of the steps that come again.
class Run {
 public:
  // The run in this folder: the same object for all collections while one of them is open. An Error
  // when `info` is not that of the others.
  static std::shared_ptr<Run> of(const std::filesystem::path& root, const RunInfo& info);

  Run(std::filesystem::path root, RunInfo info);
  ~Run();  // writes how it ended, and prints how to upload it
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void open(const std::string& collection, Before before);
  // Shown as the run's config, unless `info` has one.
  void set_config(std::vector<std::pair<std::string, std::string>> config);
  void log(const std::string& collection, std::int64_t step, const Values& values);
  void finish() { finished_ = true; }  // it ended well

 private:
  struct Row {
    std::string collection;
    std::int64_t step = 0;
    Items items;
  };

  void start(const std::string& collection);
  void choose_folder(const std::string& collection);
  void hold();
  std::vector<Row> kept_rows();
  void write_file(const std::vector<Row>& rows);
  std::string framed(std::string out, const Items& items);  // a row behind what is there
  void append(const std::string& bytes);
  std::int64_t next_num() { return ++num_; }
  double runtime() const;
  std::filesystem::path file() const { return folder_ / ("run-" + info_.id + ".wandb"); }

  std::filesystem::path root_;
  RunInfo info_;
  const RunInfo given_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t> before_;   // by collection: steps from here on come again
  std::map<std::string, std::int64_t> highest_;  // by collection: the last step in the file
  std::filesystem::path folder_;                 // of this run; empty: not started
  std::unique_ptr<base::File> held_, log_;
  std::uint64_t size_ = 0;  // of the file
  std::int64_t num_ = 0;    // of the last record
  std::int64_t rows_ = 0;
  std::set<std::string> known_;  // names whose axis is written
  double began_ = 0;             // when this process took it up
  double runtime_before_ = 0;    // seconds of earlier processes
  bool is_training_ = false;
  bool finished_ = false;
};

}  // namespace kd::writers::wandb
