// Records of W&B's files. A block is never crossed by a piece: a record that does not fit into the
// rest of one is cut, and a rest too short for a piece's head is filled with zeros.
#include "kd/io/wandb_log.h"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kd::io {

namespace {

constexpr std::string_view kHead{":W&B\xE1\xBE\x00", 7};  // name, magic 0xBEE1, version 0
constexpr std::uint64_t kBlock = 32768;
constexpr std::uint64_t kPieceHead = 7;  // checksum, length, kind

enum Kind : unsigned char { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint32_t checksum(Kind kind, std::string_view data) {
  const unsigned char type = kind;
  const uLong begin = crc32(0, &type, 1);
  return static_cast<std::uint32_t>(
      crc32_z(begin, reinterpret_cast<const unsigned char*>(data.data()), data.size()));
}

void add_piece(std::string& out, Kind kind, std::string_view data) {
  const std::uint32_t sum = checksum(kind, data);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(sum >> 8 * i);
  out += static_cast<char>(data.size());
  out += static_cast<char>(data.size() >> 8);
  out += static_cast<char>(kind);
  out += data;
}

struct Piece {
  Kind kind;
  std::string_view data;
};

// Reads the pieces of a file.
class Pieces {
 public:
  explicit Pieces(const Bytes& bytes) : bytes_(bytes) {}

  // The next piece; none at the end and where the file is damaged, which `problem` tells.
  std::optional<Piece> next() {
    const std::uint64_t room = kBlock - at_ % kBlock;
    if (room < kPieceHead) {
      const std::string_view fill = bytes_.data.substr(at_, room);
      if (fill.find_first_not_of('\0') != fill.npos) return damaged("expected zeros");
      at_ = std::min(at_ + room, bytes_.size());
    }
    begin_ = at_;
    if (at_ == bytes_.size()) return {};
    if (bytes_.size() - at_ < kPieceHead) return torn();
    const auto sum = little_endian<std::uint32_t>(bytes_, at_);
    const auto size = little_endian<std::uint16_t>(bytes_, at_ + 4);
    const auto kind = static_cast<unsigned char>(bytes_.data[at_ + 6]);
    if (kind < kFull || kind > kLast) {
      return damaged("there is no kind " + std::to_string(kind) + " of records");
    }
    if (size > kBlock - at_ % kBlock - kPieceHead) return damaged("a record leaves its block");
    if (size > bytes_.size() - at_ - kPieceHead) return torn();
    const Piece out{static_cast<Kind>(kind), bytes_.data.substr(at_ + kPieceHead, size)};
    if (checksum(out.kind, out.data) != sum) return damaged("the checksum of a record is wrong");
    at_ += kPieceHead + size;
    return out;
  }
  std::optional<Piece> damaged(const std::string& reason) {
    problem = "byte " + std::to_string(begin_) + ": " + reason;
    return {};
  }
  std::optional<Piece> torn() {
    is_torn = true;
    return damaged("the file ends within a record");
  }
  void skip_head() { at_ = begin_ = kHead.size(); }
  std::uint64_t at() const { return at_; }

  std::string problem;
  bool is_torn = false;

 private:
  const Bytes& bytes_;
  std::uint64_t at_ = 0;
  std::uint64_t begin_ = 0;  // of the piece that was read last
};

}  // namespace

std::string wandb_log_head() { return std::string(kHead); }

std::string wandb_log_frame(std::uint64_t offset, std::string_view data) {
  std::string out;
  auto room = [&] { return kBlock - (offset + out.size()) % kBlock; };
  if (room() < kPieceHead) out.append(room(), '\0');
  bool first = true;
  while (true) {
    const std::string_view piece = data.substr(0, room() - kPieceHead);
    data.remove_prefix(piece.size());
    const bool last = data.empty();
    add_piece(out, first ? (last ? kFull : kFirst) : (last ? kLast : kMiddle), piece);
    if (last) return out;
    first = false;
  }
}

WandbLog read_wandb_log(const Bytes& bytes) {
  WandbLog out;
  if (!bytes.data.starts_with(kHead)) {
    out.is_torn = kHead.starts_with(bytes.data);
    out.problem = out.is_torn ? "the file ends within its head"
                              : "byte 0: expected ':W&B' and version 0, as a run of W&B has";
    return out;
  }
  out.whole = kHead.size();
  Pieces pieces(bytes);
  pieces.skip_head();
  std::string record;
  bool inside = false;
  while (const auto piece = pieces.next()) {
    const bool begins = piece->kind == kFull || piece->kind == kFirst;
    if (begins == inside) {
      pieces.damaged(inside ? "a record begins within another" : "a record has no beginning");
      break;
    }
    record += piece->data;
    inside = piece->kind == kFirst || piece->kind == kMiddle;
    if (inside) continue;
    out.records.push_back(std::exchange(record, {}));
    out.whole = pieces.at();
  }
  if (inside && pieces.problem.empty()) pieces.torn();
  out.problem = std::move(pieces.problem);
  out.is_torn = pieces.is_torn;
  return out;
}

}  // namespace kd::io
