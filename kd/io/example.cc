// Reading tf.train.Example.
#include "kd/io/example.h"

#include <bit>

#include "kd/io/protobuf.h"

namespace kd::io {

namespace {

using detail::Message;

// Lists of numbers may be packed into one field, or stand in one field each.
std::vector<float> read_floats(Message list) {
  std::vector<float> out;
  while (list.next()) {
    if (list.field() != 1) continue;
    if (list.wire() != Message::bytes) {
      out.push_back(std::bit_cast<float>(list.read_fixed32()));
      continue;
    }
    Message run = list.read_message();
    while (!run.at_end()) {
      out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(run.fixed(4))));
    }
  }
  return out;
}

std::vector<std::int64_t> read_integers(Message list) {
  std::vector<std::int64_t> out;
  while (list.next()) {
    if (list.field() != 1) continue;
    if (list.wire() != Message::bytes) {
      out.push_back(static_cast<std::int64_t>(list.read_varint()));
      continue;
    }
    Message run = list.read_message();
    while (!run.at_end()) out.push_back(static_cast<std::int64_t>(run.number()));
  }
  return out;
}

std::vector<std::string_view> read_texts(Message list) {
  std::vector<std::string_view> out;
  while (list.next()) {
    if (list.field() == 1) out.push_back(list.read_bytes());
  }
  return out;
}

ExampleValues read_feature(Message feature) {
  ExampleValues out;
  while (feature.next()) {
    switch (feature.field()) {
      case 1:
        out = read_texts(feature.read_message());
        break;
      case 2:
        out = read_floats(feature.read_message());
        break;
      case 3:
        out = read_integers(feature.read_message());
        break;
    }
  }
  return out;
}

}  // namespace

Example parse_example(std::string_view bytes, const std::string& name) {
  Example out;
  Message example(bytes, name);
  while (example.next()) {
    if (example.field() != 1) continue;
    Message features = example.read_message();
    while (features.next()) {
      if (features.field() != 1) continue;
      Message entry = features.read_message();
      std::string key;
      ExampleValues value;
      while (entry.next()) {
        if (entry.field() == 1) key = entry.read_bytes();
        if (entry.field() == 2) value = read_feature(entry.read_message());
      }
      out.insert_or_assign(std::move(key), std::move(value));
    }
  }
  return out;
}

}  // namespace kd::io
