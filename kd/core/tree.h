// Tree: tensors under names. Parameters, gradients, batches and optimizer states are trees.
//
//   Tree params = Tree::dict({{"Dense_0", Tree::dict({{"kernel", kernel}, {"bias", bias}})}});
//   params["Dense_0"]["kernel"].tensor();
//   kontext::get_by_path(params, "Dense_0.kernel[0, :8]");
//
// Copying a tree shares its tensors. The children of a dict are sorted by name, as the reference
// flattens them; those of a record (an optimizer's state) stand as declared.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kd/core/tensor.h"
#include "kontext/tree.h"

namespace kd {

class Tree {
 public:
  enum class Kind : std::uint8_t { none, tensor, texts, dict, record, list };
  using Items = std::vector<std::pair<std::string, Tree>>;
  using Texts = std::vector<std::string>;

  Tree() = default;  // None
  Tree(Tensor tensor) : kind_(Kind::tensor), tensor_(std::move(tensor)) {}
  explicit Tree(Texts texts) : kind_(Kind::texts), names_(std::move(texts)) {}
  static Tree dict(Items items = {});
  // `type` is what it is called in messages: "ScaleByAdamState".
  static Tree record(std::string type, Items items = {});
  static Tree list(std::vector<Tree> items = {});

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_tensor() const { return kind_ == Kind::tensor; }
  bool is_leaf() const { return kind_ <= Kind::texts; }
  bool has_names() const { return kind_ == Kind::dict || kind_ == Kind::record; }
  std::string_view type() const;  // "dict", "list", "ScaleByAdamState", ...

  // An Error when it holds something else.
  const Tensor& tensor() const;
  Tensor& tensor();
  const Texts& texts() const;

  // Children, in order. Those of a list have no name.
  std::size_t size() const { return children_.size(); }
  bool empty() const { return children_.empty(); }
  const std::string& name(std::size_t i) const;
  const Tree& child(std::size_t i) const { return children_[i]; }
  Tree& child(std::size_t i) { return children_[i]; }
  const std::vector<Tree>& children() const { return children_; }

  // By name; nullptr when there is none.
  const Tree* find(std::string_view name) const;
  Tree* find(std::string_view name) { return const_cast<Tree*>(std::as_const(*this).find(name)); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // The child; an Error names the nearest one when it is missing.
  const Tree& at(std::string_view name) const;
  Tree& at(std::string_view name) { return const_cast<Tree&>(std::as_const(*this).at(name)); }
  const Tree& operator[](std::string_view name) const { return at(name); }
  // Added to a dict, or to None, which becomes a dict, when missing.
  Tree& operator[](std::string_view name);
  void push_back(Tree item);  // to a list, or to None, which becomes a list
  bool erase(std::string_view name);

 private:
  Kind kind_ = Kind::none;
  Tensor tensor_;
  std::string type_;
  Texts names_;
  std::vector<Tree> children_;
};

}  // namespace kd

namespace kontext {

struct Selection;  // kontext/filter.h

// t[0], t[1:, ...], t.shape, t.T; a tensor of one element converts to a number.
template <>
struct TreeTraits<at::Tensor> {
  static constexpr std::string_view spoken = "tensor";
  static TreeRef item(const at::Tensor& tensor, const Part& part);
  static TreeRef attribute(const at::Tensor& tensor, const std::string& name);
  static konfig::Value value(const at::Tensor& tensor);
  static void assign(at::Tensor& to, const TreeRef& from);
};

template <>
struct TreeTraits<kd::Tree> {
  static TreeRef ref(const kd::Tree& tree);
  static void assign(kd::Tree& to, const TreeRef& from);
  static kd::Tree filtered(const kd::Tree& tree, const Selection& selection);
};

}  // namespace kontext
