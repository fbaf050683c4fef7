// What is said where a pipeline needs Python.
#include "kd/data/pipelines/pipelines_absent.h"

#include "kd/data/engine/pipeline.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

namespace {

[[noreturn]] void refuse(const std::string& pipeline, const std::string& dataset,
                         const std::string& instead) {
  throw Error(ErrorKind::unsupported,
              pipeline + ": '" + dataset +
                  "' is read by a Python library, and there is no Python here; " + instead);
}

constexpr const char* kAsRecords =
    "write its examples to TFRecord files once and read them with "
    "kd.data.py.DataSource(data_source=TfRecord(paths=[...]))";

}  // namespace

Dataset py::HuggingFace::open(const Process&) const {
  refuse("kd.data.py.HuggingFace", *path,
         "write it once with datasets.load_dataset(...).to_json(\"" + *split +
             ".jsonl\") and read it with kd.data.py.DataSource(data_source=JsonLines(path=\"" +
             *split + ".jsonl\"))");
}

Dataset tf::SeqIOTask::open(const Process&) const {
  refuse("kd.data.tf.SeqIOTask", *name, kAsRecords);
}

Dataset tf::SeqIOMixture::open(const Process&) const {
  refuse("kd.data.tf.SeqIOMixture", *name,
         std::string(kAsRecords) + ", and mix them with kd.data.py.Mix");
}

}  // namespace kd::data
