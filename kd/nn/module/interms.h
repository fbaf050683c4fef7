// Interms: what modules gave back and set aside during a call, by module path.
//
//  interms.encoder.__call__[0]     the encoder's output in its first call
//  interms.encoder.attn_weights[0] what it kept with nn::sow("attn_weights", ...)
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kd/nn/module/arguments.h"
#include "kontext/tree.h"

namespace kd::nn {

class Interms {
 public:
  using Values = std::vector<kontext::TreeRef>;

  // The node of a module below this one, made when missing.
  Interms& child(std::string_view module);
  const Interms* find_child(std::string_view module) const;
  const Values* find_values(std::string_view name) const;
  void append(std::string_view name, kontext::TreeRef value);
  bool empty() const { return children_.empty() && values_.empty(); }

  const auto& children() const { return children_; }
  const auto& values() const { return values_; }

 private:
  std::vector<std::pair<std::string, std::shared_ptr<Interms>>> children_;
  std::vector<std::pair<std::string, Values>> values_;
};

}  // namespace kd::nn

template <>
struct kontext::TreeTraits<kd::nn::Interms> {
  static constexpr Shape shape = Shape::map;
  static constexpr std::string_view spoken = "module";
  static TreeRef item(const kd::nn::Interms& node, const Part& part);
  static bool each(const kd::nn::Interms& node, const Visit& visit);
};
