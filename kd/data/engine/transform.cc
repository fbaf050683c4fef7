// Transforms of any type, called by name of element.
#include "kd/data/engine/transform.h"

#include "base/join.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/suggest.h"

namespace kd::data {

Step bind(const Poly<Transform>& transform, Backend backend) {
  const auto& ops = ops_of(transform);
  try {
    return ops.bind(transform.object(), backend);
  } catch (const Error& e) {
    if (!e.path().empty()) throw;
    throw in_place(std::string(transform.type()->name), e);
  }
}

std::vector<std::pair<std::string, std::string>> ElementKey::pairs() const {
  std::vector<std::pair<std::string, std::string>> out;
  if (auto* name = std::get_if<std::string>(this)) {
    if (!name->empty()) out.emplace_back(*name, *name);
  } else if (auto* names = std::get_if<std::vector<std::string>>(this)) {
    for (auto& each : *names) out.emplace_back(each, each);
  } else {
    for (auto& [from, to] : std::get<Map<std::string>>(*this)) out.emplace_back(from, to);
  }
  if (out.empty()) throw Error(ErrorKind::key, "key: the name of an element is needed");
  return out;
}

Tree map_elements(const ElementKey& key, Tree record, const std::function<Tree(const Tree&)>& fn) {
  std::vector<std::pair<std::string, Tree>> changed;
  const auto pairs = key.pairs();
  for (auto& [from, to] : pairs) {
    const Tree* element = record.find(from);
    if (!element) continue;
    try {
      changed.emplace_back(to, fn(*element));
    } catch (const Error& e) {
      throw in_place(from, e);
    }
  }
  if (changed.empty()) {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < record.size(); ++i) known.push_back(record.name(i));
    const std::string wanted =
        base::join(pairs, ", ", [](auto& pair) { return "'" + pair.first + "'"; });
    throw Error(ErrorKind::key,
                "no element is named " + wanted + konfig::did_you_mean(pairs[0].first, known));
  }
  for (auto& [to, element] : changed) record[to] = std::move(element);
  return record;
}

Tree map_tensors(const ElementKey& key, Tree record,
                 const std::function<Tensor(const Tensor&)>& fn) {
  return map_elements(key, std::move(record),
                      [&](const Tree& element) -> Tree { return fn(element.tensor()); });
}

}  // namespace kd::data
