// How people name what was launched: "17", "17/3", "17/3/train"; also "xid:17/3".
//
//   parse_address("17/3/train")    // {17, 3, "train"}
//
// Where a command takes a folder as well, a folder of that name wins and "xid:17" is always the
// experiment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kxm {

struct Address {
  int xid = 0;
  std::optional<int> wid = {};
  std::string job = {};  // "": all

  bool operator==(const Address&) const = default;
};

// None for any other text.
std::optional<Address> parse_address(std::string_view text);
std::string to_text(const Address& address);  // "17/3/train"

}  // namespace kxm
