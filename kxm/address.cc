#include "kxm/address.h"

#include "base/number_in.h"

namespace kxm {
namespace {

constexpr std::string_view kPrefix = "xid:";

// A whole number from 1, and nothing else.
std::optional<int> parse_id(std::string_view text) {
  const auto id = base::number_in<int>(text);
  return id && *id >= 1 ? id : std::nullopt;
}

// Up to the next '/', which is taken away, too.
std::string_view take_part(std::string_view& text) {
  const auto slash = text.find('/');
  const std::string_view part = text.substr(0, slash);
  text.remove_prefix(slash == text.npos ? text.size() : slash + 1);
  return part;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  if (text.ends_with('/')) text.remove_suffix(1);  // as shells complete folders
  const auto xid = parse_id(take_part(text));
  if (!xid) return {};
  Address out{.xid = *xid};
  if (text.empty()) return out;
  out.wid = parse_id(take_part(text));
  if (!out.wid || text.find('/') != text.npos) return {};
  out.job = text;
  return out;
}

std::string to_text(const Address& address) {
  std::string out = std::to_string(address.xid);
  if (address.wid) out += "/" + std::to_string(*address.wid);
  if (!address.job.empty()) out += "/" + address.job;
  return out;
}

}  // namespace kxm
