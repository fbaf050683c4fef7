// The groups of kontext cases but for keys.
#include "tests/golden/kontext_groups.h"

#include <map>

#include "kontext/kontext.h"
#include "tests/golden/compare.h"
#include "tests/golden/kontext_codec.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Error;
using konfig::List;
using konfig::Value;
using kontext::GlobPath;
using kontext::Part;
using kontext::Path;
using kontext::TreeRef;

using Mismatches = std::vector<Mismatch>;

const std::string& text(const Value& v) { return v.as<std::string>(); }

Value encode_parts(const std::vector<Part>& parts) {
  List out;
  for (auto& part : parts) out.push_back(encode_part(part));
  return out;
}

std::vector<Part> decode_parts(const Value& json) {
  std::vector<Part> out;
  for (auto& part : json.as<List>()) out.push_back(decode_part(part));
  return out;
}

// ---- Paths.

template <class P>
Value parse_result(const std::string& input) {
  P path = P::parse(input);
  bool again = false;
  try {
    again = P::parse(path.str()) == path;
  } catch (const Error&) {
  }
  return Dict{{"parts", encode_parts(path.parts())},
              {"printed", path.str()},
              {"len", path.size()},
              {"print_round_trips", again}};
}

// Same parts; the reference's text does not read back as them and ours does.
std::string lossless(const Value& expected, const Value& ours) {
  auto *e = expected.get_if<Dict>(), *o = ours.get_if<Dict>();
  if (!e || !o || !e->find("parts") || !identical(e->at("parts"), o->at("parts"))) return "";
  const Value* theirs = e->find("print_round_trips");  // absent when printing failed
  bool lossy = !theirs || !theirs->as<bool>();
  return lossy && o->at("print_round_trips").as<bool>() ? "lossless" : "";
}

Mismatches run_parse(const Dict& args, const Dict& outputs) {
  Mismatches out;
  const std::string& input = text(args.at("text"));
  compare(
      out, "path", outputs.at("path"), [&] { return parse_result<Path>(input); }, lossless);
  compare(
      out, "glob", outputs.at("glob"), [&] { return parse_result<GlobPath>(input); }, lossless);
  return out;
}

// Our text reads back as the parts.
bool reads_back(const Value& ours, const std::vector<Part>& parts) {
  try {
    return ours.is<std::string>() && GlobPath::parse(text(ours)).parts() == parts;
  } catch (const Error&) {
    return false;
  }
}

Mismatches run_format(const Dict& args, const Dict& outputs) {
  Mismatches out;
  compare(
      out, "printed", outputs.at("printed"),
      [&] { return Path(decode_parts(args.at("parts"))).str(); },
      [&](const Value& expected, const Value& ours) {
        auto parts = decode_parts(args.at("parts"));
        if (!reads_back(expected, parts)) {
          // A tuple of numbers inside a tuple of numbers has no notation that reads back.
          return reads_back(ours, parts) ? "lossless" : "no notation";
        }
        return "";
      });
  return out;
}

Mismatches run_path_ops(const Dict& args, const Dict& outputs) {
  Mismatches out;
  compare(out, "result", outputs.at("result"), [&]() -> Value {
    GlobPath path = GlobPath::parse(text(args.at("path")));
    const std::string& op = text(args.at("op"));
    const Value& arg = args.at("arg");
    if (op == "slice") {
      auto& b = arg.as<List>();
      auto bound = [](const Value& v) {
        return v.is_none() ? std::nullopt : std::optional(v.as<std::int64_t>());
      };
      return path.slice({bound(b[0]), bound(b[1]), bound(b[2])}).str();
    }
    if (op == "index") return encode_part(path[arg.as<std::int64_t>()]);
    if (op == "relative_to") return path.relative_to(GlobPath::parse(text(arg))).str();
    if (op == "equal") {
      GlobPath other = GlobPath::parse(text(arg));
      return Dict{{"equal", path == other}, {"same_hash", path.hash() == other.hash()}};
    }
    if (op == "first_non_glob_parent") return path.first_non_glob_parent().str();
    throw std::runtime_error("unknown operation " + op);
  });
  return out;
}

Mismatches run_builder(const Dict& args, const Dict& outputs) {
  Mismatches out;
  compare(
      out, "text", outputs.at("text"),
      [&] {
        auto builder = kontext::path_builder_from(text(args.at("prefix")));
        for (auto& step : args.at("steps").as<List>()) {
          builder = builder[Part(decode(step.as<List>()[1]))];
        }
        return builder.str();
      },
      [&](const Value&, const Value& ours) {
        std::vector<Part> parts = {Part(text(args.at("prefix")))};
        for (auto& step : args.at("steps").as<List>()) {
          parts.push_back(Part(decode(step.as<List>()[1])));
        }
        return reads_back(ours, parts) ? "a path" : "";
      });
  return out;
}

// ---- Trees.

Value get_result(const TreeRef& tree, const Dict& args) {
  const Value& path = args.at("path");
  const Value* otherwise = args.find("default");
  std::optional<Path> parts;
  if (path.is<Dict>()) parts = Path(decode_parts(path.as<Dict>().at("$tuple")));
  if (path.is<std::int64_t>())
    throw Error(konfig::ErrorKind::type, "a path is text, a Path or a Key");
  kontext::PathArg where = std::nullopt;
  if (parts) where = kontext::PathArg(*parts);
  if (path.is<std::string>()) where = kontext::PathArg(text(path));
  if (!otherwise) return encode(kontext::get_by_path(tree, where));
  TreeRef found = where.is_none() ? TreeRef() : kontext::find_by_path(tree, where);
  return found ? encode(found) : *otherwise;
}

Mismatches run_get(const Dict& args, const Dict& outputs) {
  Mismatches out;
  const Value& json = args.at("tree");
  compare(out, "result", outputs.at("result"), [&] {
    if (needs_any(json)) return get_result(decode_any(json), args);
    return get_result(decode(json), args);
  });
  return out;
}

// Dicts with the same entries in any order.
bool same_unordered(const Value& a, const Value& b) {
  auto *x = a.get_if<Dict>(), *y = b.get_if<Dict>();
  if (x && y) {
    if (x->size() != y->size()) return false;
    for (auto& [key, value] : *x) {
      const Value* other = y->find(key);
      if (!other || !same_unordered(value, *other)) return false;
    }
    return true;
  }
  auto *l = a.get_if<List>(), *m = b.get_if<List>();
  if (l && m) return std::equal(l->begin(), l->end(), m->begin(), m->end(), same_unordered);
  return identical(a, b);
}

Mismatches run_set(const Dict& args, const Dict& outputs) {
  Mismatches out;
  const Dict& result = outputs.at("result").as<Dict>();
  Value tree = decode(args.at("tree"));
  const Value& path = args.at("path");
  auto set = [&]() -> Value {
    if (path.is<std::int64_t>()) throw Error(konfig::ErrorKind::type, "a path is text or a Path");
    Value value = decode(args.at("value"));
    auto places =
        path.is<std::string>()
            ? kontext::set_by_path(tree, text(path), value)
            : kontext::set_by_path(tree, Path(decode_parts(path.as<Dict>().at("$tuple"))), value);
    List modified;
    for (auto& place : places) modified.push_back(place.str());
    return modified;
  };
  const Value* modified = result.find("modified");
  compare(out, "modified", modified ? *modified : Value(result), set);
  if (result.find("tree") && out.empty()) {
    compare(
        out, "tree", result.at("tree"), [&] { return encode(tree); },
        [&](const Value&, const Value& ours) {
          return !modified && identical(ours, args.at("tree")) ? "nothing written" : "";
        });
  }
  return out;
}

Mismatches run_filter(const Dict& args, const Dict& outputs) {
  Mismatches out;
  compare(
      out, "result", outputs.at("result"),
      [&] {
        Value tree = decode(args.at("tree"));
        return encode(kontext::filter_by_path(tree, text(args.at("path"))));
      },
      [](const Value& expected, const Value& ours) {
        return same_unordered(expected, ours) ? "order of keys" : "";
      });
  return out;
}

Mismatches run_flatten(const Dict& args, const Dict& outputs) {
  Mismatches out;
  compare(out, "items", outputs.at("items"), [&] {
    kontext::FlattenOptions options;
    if (const Value* prefix = args.find("prefix")) options.prefix = Part(text(*prefix));
    if (const Value* leaf = args.find("is_leaf")) {
      static const std::map<std::string, kontext::Shape> shapes = {{"list", kontext::Shape::list},
                                                                   {"tuple", kontext::Shape::tuple},
                                                                   {"none", kontext::Shape::none},
                                                                   {"dict", kontext::Shape::map}};
      auto shape = shapes.at(text(*leaf));
      options.is_leaf = [shape](const TreeRef& tree) { return tree.shape() == shape; };
    }
    const Value* separator = args.find("separator");
    Value tree = decode(args.at("tree"));
    List items;
    for (auto& [path, leaf] : kontext::flatten_with_path(tree, options)) {
      items.push_back(List{separator ? path.str(text(*separator)) : path.str(), encode(leaf)});
    }
    return Value(items);
  });
  return out;
}

}  // namespace

void compare(Mismatches& mismatches, const std::string& output, const Value& expected,
             const std::function<Value()>& ours, const Topic& topic) {
  const Dict* error = expected.get_if<Dict>();
  if (error && !error->find("error")) error = nullptr;
  Value result;
  try {
    result = ours();
  } catch (const Error& e) {
    std::string mismatch = error ? kontext_error_mismatch(*error, e) : "an error";
    if (!mismatch.empty()) mismatches.push_back({output, show(expected), e.what(), mismatch});
    return;
  }
  if (!error && identical(expected, result)) return;
  std::string known = topic ? topic(expected, result) : "";
  if (known.empty()) known = error ? "no error" : "differs";
  mismatches.push_back({output, show(expected), show(result), known});
}

Mismatches run_case(const std::string& group, const Dict& args, const Dict& outputs) {
  static const std::map<std::string, Mismatches (*)(const Dict&, const Dict&)> groups = {
      {"parse", run_parse},     {"format", run_format}, {"path_ops", run_path_ops},
      {"get", run_get},         {"set", run_set},       {"filter", run_filter},
      {"flatten", run_flatten}, {"keys", run_keys},     {"path_builder", run_builder}};
  auto found = groups.find(group);
  if (found == groups.end()) throw std::runtime_error("unknown group " + group);
  return found->second(args, outputs);
}

}  // namespace golden
