// Splits as TFDS writes them: "train", "train[:90%]", "train[-100:]+test", "all".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kd::data {

// One part: "train[10%:20%]".
struct SplitPart {
  enum class Unit { records, percent, shards };
  std::string name;
  std::optional<std::int64_t> from = {}, to = {};  // negative: from the end
  Unit unit = Unit::records;
  bool drop_remainder = false;  // (pct1_dropremainder): each percent has as many records
};
// An Error points at what is wrong with the text.
std::vector<SplitPart> parse_split(std::string_view text);

// What a dataset has under a name.
struct SplitInfo {
  std::string name;
  std::vector<std::int64_t> shards;  // records of each
  std::int64_t size() const;
};
// Records begin to end of one split.
struct SplitRange {
  std::size_t split = 0;
  std::int64_t begin = 0, end = 0;
};
// An Error names the nearest split when there is none of that name.
std::vector<SplitRange> split_ranges(std::string_view text, const std::vector<SplitInfo>& known);

}  // namespace kd::data
