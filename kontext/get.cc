// Reading a tree by path: the slow half, for text and for errors.
#include "kontext/get.h"

#include "konfig/scalar_text.h"
#include "kontext/describe_impl.h"

namespace kontext {
namespace {

using konfig::ErrorKind;

// Text may be the whole name of an attribute: a config's key 'a.b' is found as it stands.
TreeRef whole_name(const TreeRef& tree, std::string_view text) {
  return text.empty() ? TreeRef() : tree.attribute(std::string(text));
}

[[noreturn]] void fail_missing(const TreeRef& tree, const Path& path) {
  TreeRef at = tree;
  Path walked;
  for (const Part& part : path) {
    TreeRef next = at.child(part);
    walked = walked / part;
    if (next) {
      at = next;
      continue;
    }
    std::string message = missing_text(at, part);
    if (walked.size() < path.size()) {
      message += "; looking for " + konfig::repr_text(path.str());
    }
    throw error_at(ErrorKind::key, walked, message);
  }
  throw error_at(ErrorKind::key, path, "not found");
}

}  // namespace

TreeRef find_by_path(const TreeRef& tree, const PathArg& path) {
  if (path.is_none()) return TreeRef::none();
  if (path.path()) return find_by_path(tree, *path.path());
  if (TreeRef found = whole_name(tree, path.text())) return found;
  return find_by_path(tree, Path::parse(path.text()));
}

TreeRef get_by_path(const TreeRef& tree, const PathArg& path) {
  if (TreeRef found = find_by_path(tree, path)) return found;
  fail_missing(tree, path.path() ? *path.path() : Path::parse(path.text()));
}

}  // namespace kontext
