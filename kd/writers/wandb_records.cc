// The messages in a file of W&B.
#include <cmath>

#include "kd/io/protobuf.h"
#include "kd/writers/wandb_records_impl.h"

namespace kd::writers::wandb {

using io::detail::Encoder;
using io::detail::Message;

namespace {

// Numbers of fields, as wandb_internal.proto has them.
enum InRecord : std::uint32_t {
  kNum = 1,
  kHistory = 2,
  kSummary = 3,
  kFiles = 6,
  kMetric = 12,
  kRun = 17,
  kExit = 18,
  kHeader = 21,
};
enum InRun : std::uint32_t {
  kId = 1,
  kEntity = 2,
  kProject = 3,
  kConfig = 4,
  kGroup = 6,
  kJobType = 7,
  kName = 8,
  kNotes = 9,
  kTags = 10,
  kSweepId = 12,
  kHost = 13,
  kStartTime = 17,
};
enum InItem : std::uint32_t { kKey = 1, kNestedKey = 2, kJson = 16 };
enum InMetric : std::uint32_t {
  kMetricName = 1,
  kGlobName = 2,
  kStepMetric = 4,
  kOptions = 6,
  kExpanded = 10,
};
enum InOptions : std::uint32_t { kStepSync = 1, kHidden = 2, kDefined = 3 };

constexpr double kNanos = 1e9;

std::string record(std::int64_t num, InRecord kind, const Encoder& content) {
  return Encoder().varint(kNum, static_cast<std::uint64_t>(num)).message(kind, content).str();
}

void add_text(Encoder& to, std::uint32_t field, const std::string& text) {
  if (!text.empty()) to.bytes(field, text);
}

Encoder items_of(const Items& items) {
  Encoder out;
  for (const Item& item : items) {
    Encoder one;
    for (const std::string& part : item.name) one.bytes(kNestedKey, part);
    out.message(1, one.bytes(kJson, item.json));
  }
  return out;
}

Item read_item(Message message) {
  Item out;
  while (message.next()) {
    if (message.field() == kKey || message.field() == kNestedKey) {
      out.name.emplace_back(message.read_bytes());
    } else if (message.field() == kJson) {
      out.json = message.read_bytes();
    }
  }
  if (out.name.empty()) message.fail("a value has no name");
  return out;
}

double read_time(Message message) {
  double out = 0;
  while (message.next()) {
    if (message.field() == 1) out += static_cast<double>(message.read_varint());
    if (message.field() == 2) out += static_cast<double>(message.read_varint()) / kNanos;
  }
  return out;
}

// The message of this kind in a record; none if it holds another.
std::optional<Message> content_of(std::string_view record, const std::string& file, InRecord kind) {
  Message message(record, file);
  while (message.next()) {
    if (message.field() == kind) return message.read_message();
  }
  return {};
}

}  // namespace

std::string header_record(std::int64_t num) {
  // The oldest version of the format's readers, as the package of 0.29.0 writes it.
  const Encoder version = Encoder().bytes(1, "kauldron").bytes(2, "0.70.0");
  return record(num, kHeader, Encoder().message(1, version));
}

std::string run_record(std::int64_t num, const RunInfo& run) {
  Encoder config;
  for (auto& [name, json] : run.config) {
    config.message(1, Encoder().bytes(kKey, name).bytes(kJson, json));
  }
  const double seconds = std::floor(run.start_time);
  const Encoder time =
      Encoder()
          .varint(1, static_cast<std::uint64_t>(seconds))
          .varint(2, static_cast<std::uint64_t>((run.start_time - seconds) * kNanos));
  Encoder out;
  out.bytes(kId, run.id);
  add_text(out, kEntity, run.entity);
  add_text(out, kProject, run.project);
  out.message(kConfig, config);
  add_text(out, kGroup, run.group);
  add_text(out, kJobType, run.job_type);
  add_text(out, kName, run.name);
  add_text(out, kNotes, run.notes);
  for (const std::string& tag : run.tags) out.bytes(kTags, tag);
  add_text(out, kSweepId, run.sweep_id);
  add_text(out, kHost, run.host);
  return record(num, kRun, out.message(kStartTime, time));
}

std::string axis_record(std::int64_t num, const std::string& axis) {
  const Encoder options = Encoder().varint(kHidden, 1).varint(kDefined, 1);
  return record(num, kMetric, Encoder().bytes(kMetricName, axis).message(kOptions, options));
}

std::string metric_record(std::int64_t num, const std::string& name, const std::string& axis) {
  return record(num, kMetric,
                Encoder()
                    .bytes(kMetricName, name)
                    .bytes(kStepMetric, axis)
                    .message(kOptions, Encoder().varint(kStepSync, 1)));
}

std::string files_record(std::int64_t num, const std::vector<std::string>& files) {
  Encoder out;
  for (const std::string& file : files) out.message(1, Encoder().bytes(1, file));
  return record(num, kFiles, out);
}

std::string history_record(std::int64_t num, std::int64_t row, const Items& items) {
  const Encoder step = Encoder().varint(1, static_cast<std::uint64_t>(row));
  return record(num, kHistory, items_of(items).message(2, step));
}

std::string summary_record(std::int64_t num, const Items& items) {
  return record(num, kSummary, items_of(items));
}

std::string exit_record(std::int64_t num, int code, std::int64_t seconds) {
  return record(num, kExit,
                Encoder()
                    .varint(1, static_cast<std::uint64_t>(code))
                    .varint(2, static_cast<std::uint64_t>(seconds)));
}

std::optional<RunInfo> read_run(std::string_view record, const std::string& file) {
  std::optional<Message> message = content_of(record, file, kRun);
  if (!message) return {};
  RunInfo out;
  auto text = [&](std::string& to) { to = message->read_bytes(); };
  while (message->next()) {
    switch (message->field()) {
      case kId:
        text(out.id);
        break;
      case kEntity:
        text(out.entity);
        break;
      case kProject:
        text(out.project);
        break;
      case kGroup:
        text(out.group);
        break;
      case kJobType:
        text(out.job_type);
        break;
      case kName:
        text(out.name);
        break;
      case kNotes:
        text(out.notes);
        break;
      case kTags:
        out.tags.emplace_back(message->read_bytes());
        break;
      case kSweepId:
        text(out.sweep_id);
        break;
      case kHost:
        text(out.host);
        break;
      case kStartTime:
        out.start_time = read_time(message->read_message());
        break;
      case kConfig: {
        Message config = message->read_message();
        while (config.next()) {
          if (config.field() != 1) continue;
          Item item = read_item(config.read_message());
          out.config.emplace_back(std::move(item.name.front()), std::move(item.json));
        }
        break;
      }
      default:
        break;
    }
  }
  return out;
}

std::optional<Items> read_history(std::string_view record, const std::string& file) {
  std::optional<Message> message = content_of(record, file, kHistory);
  if (!message) return {};
  Items out;
  while (message->next()) {
    if (message->field() == 1) out.push_back(read_item(message->read_message()));
  }
  return out;
}

}  // namespace kd::writers::wandb
