// The wire format of protocol buffers, as far as records need it.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kd/io/errors.h"

namespace kd::io::detail {

// Reads the fields of one message, one after the other.
class Message {
 public:
  enum Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  Message(std::string_view data, const std::string& name, const char* begin)
      : data_(data), name_(name), begin_(begin) {}
  Message(std::string_view data, const std::string& name) : Message(data, name, data.data()) {}

  // The next field; false at the end. The value is read or skipped before the next call.
  bool next() {
    if (pending_) skip();
    if (data_.empty()) return false;
    const std::uint64_t tag = number();
    field_ = static_cast<std::uint32_t>(tag >> 3);
    wire_ = static_cast<int>(tag & 7);
    if (field_ == 0) fail("a field has the number 0");
    pending_ = true;
    return true;
  }
  std::uint32_t field() const { return field_; }
  int wire() const { return wire_; }

  std::uint64_t read_varint() {
    expect(varint);
    return number();
  }
  std::uint64_t read_fixed64() {
    expect(fixed64);
    return fixed(8);
  }
  std::uint32_t read_fixed32() {
    expect(fixed32);
    return static_cast<std::uint32_t>(fixed(4));
  }
  std::string_view read_bytes() {
    expect(bytes);
    const std::uint64_t n = number();
    if (n > data_.size()) fail("a field is longer than the message");
    const std::string_view out = data_.substr(0, n);
    data_.remove_prefix(n);
    return out;
  }
  Message read_message() { return Message(read_bytes(), name_, begin_); }

  bool at_end() const { return data_.empty(); }
  std::size_t size() const { return data_.size(); }  // what is left
  // Packed numbers: the content of a bytes field as a run of numbers.
  std::uint64_t number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (data_.empty()) fail("a number ends too early");
      const auto byte = static_cast<unsigned char>(data_.front());
      data_.remove_prefix(1);
      out |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return out;
    }
    fail("a number has too many bytes");
  }
  std::uint64_t fixed(std::size_t n) {
    if (data_.size() < n) fail("a number ends too early");
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < n; ++i) {
      out |= std::uint64_t{static_cast<unsigned char>(data_[i])} << 8 * i;
    }
    data_.remove_prefix(n);
    return out;
  }
  [[noreturn]] void fail(const std::string& reason) const {
    fail_in_file(name_, static_cast<std::uint64_t>(data_.data() - begin_),
                 "the message is damaged: " + reason);
  }

 private:
  void expect(Wire wire) {
    pending_ = false;
    if (wire_ != wire) {
      fail("field " + std::to_string(field_) + " is stored in an unexpected way");
    }
  }
  void skip() {
    pending_ = false;
    switch (wire_) {
      case varint:
        number();
        return;
      case fixed64:
        fixed(8);
        return;
      case fixed32:
        fixed(4);
        return;
      case bytes:
        read_bytes();
        return;
      default:
        fail("there is no wire type " + std::to_string(wire_));
    }
  }

  std::string_view data_;
  const std::string& name_;
  const char* begin_;
  std::uint32_t field_ = 0;
  int wire_ = 0;
  bool pending_ = false;
};

// Writes the fields of a message: tag and wire type, then the value.
class Encoder {
 public:
  Encoder& varint(std::uint32_t field, std::uint64_t value) {
    number(std::uint64_t{field} << 3);
    return number(value);
  }
  Encoder& fixed64(std::uint32_t field, double value) {
    number(std::uint64_t{field} << 3 | 1);
    return raw(std::bit_cast<std::uint64_t>(value), 8);
  }
  Encoder& bytes(std::uint32_t field, std::string_view value) {
    number(std::uint64_t{field} << 3 | 2);
    number(value.size());
    out_ += value;
    return *this;
  }
  Encoder& message(std::uint32_t field, const Encoder& value) { return bytes(field, value.out_); }
  const std::string& str() const { return out_; }

 private:
  Encoder& number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
    return *this;
  }
  Encoder& raw(std::uint64_t bits, int n) {
    for (int i = 0; i < n; ++i) out_ += static_cast<char>(bits >> 8 * i);
    return *this;
  }
  std::string out_;
};

}  // namespace kd::io::detail
