// How the folders of an experiment are called.
//
//   SubdirFormat{.xp_dirname = "{xid}-{name}", .wu_dirname = "{wid}-{sweep_kwargs}"}
//
// Fields: {xid}, {name} or {title}, {author} or {user}, {cell} of the first job; for units also
// {wid} (padded: 007 of 345), {unpadded_wid}, {sweep_kwargs} (lr=0.1,seed=0) and
// {separator_if_sweep} (a "-" when there is a sweep). `{xid:06d}` formats as in Python; {{ and }}
// are braces. A field of your own: a struct in your file.cc with a member function
//
//   std::optional<konfig::Value> field(std::string_view name, const kxm::DirContext& at) const
//
// beside `xp_dirname` and `wu_dirname`, and the line KXM_COMPONENT(kxm::DirFormat, MyFormat).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "konfig/component.h"
#include "konfig/poly.h"
#include "konfig/value.h"

namespace kxm {

// What is known when a folder is named.
struct DirContext {
  int xid = 0;
  std::string title;
  std::string author;
  std::optional<std::string> cell = {};  // of the first job
  int num_units = 1;
  // Of a unit; 0 while the experiment's folder is named.
  int wid = 0;
  const konfig::Dict* sweep_kwargs = nullptr;  // as people read them
};

class DirFormat {
 public:
  struct Ops {
    konfig::Value (*xp_dirname)(const void* format);
    konfig::Value (*wu_dirname)(const void* format);
    // nullopt: no such field.
    std::optional<konfig::Value> (*field)(const void* format, std::string_view name,
                                          const DirContext& context);
  };
  template <class T>
  static constexpr Ops ops = {
      [](const void* f) { return konfig::Value(static_cast<const T*>(f)->xp_dirname); },
      [](const void* f) { return konfig::Value(static_cast<const T*>(f)->wu_dirname); },
      [](const void* f, std::string_view name,
         const DirContext& context) -> std::optional<konfig::Value> {
        if constexpr (requires { static_cast<const T*>(f)->field(name, context); }) {
          return static_cast<const T*>(f)->field(name, context);
        } else {
          return std::nullopt;
        }
      }};
};

struct SubdirFormat {
  konfig::Value xp_dirname = "{xid}";  // the experiment's folder, in root_dir
  konfig::Value wu_dirname = "{wid}";  // a unit's folder, in the experiment's
};

// "lr=0.1,seed=0": what is swept, safe as a file name and at most 127 characters.
std::string sweep_kwargs_text(const konfig::Dict& kwargs);

// A text with its {fields}, each formatted once. An unknown field, or one of a unit before there is
// one, is an Error.
std::string format_dir(const konfig::Value& text, const konfig::Poly<DirFormat>& format,
                       const DirContext& context);

// POSIX: an absolute right side wins.
std::string join_dirs(const std::string& left, const std::string& right);

}  // namespace kxm

KONFIG_COMPONENT(kxm::DirFormat, kxm::SubdirFormat, "kauldron.kxm:SubdirFormat");
