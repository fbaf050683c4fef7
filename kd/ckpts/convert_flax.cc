// Parameters that Flax serialized: msgpack with arrays as extensions.
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <msgpack.h>

#include <cstring>

#include "kd/ckpts/engine/convert.h"

#include "kd/core/dtype_name.h"
#include "konfig/error.h"

namespace kd::ckpts {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr int kArray = 1,
              kScalar = 3;  // Flax's extensions; 2, complex numbers of Python, is refused

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::value, what); }

// Unpacked bytes and the memory they live in.
class Unpacked {
 public:
  Unpacked(const char* data, std::size_t size) {
    msgpack_zone_init(&zone_, 2048);
    std::size_t used = 0;
    const auto state = msgpack_unpack(data, size, &used, &zone_, &object_);
    if (state != MSGPACK_UNPACK_SUCCESS || used != size) {
      msgpack_zone_destroy(&zone_);
      fail("it is no msgpack, or not all of it");
    }
  }
  ~Unpacked() { msgpack_zone_destroy(&zone_); }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  const msgpack_object& object() const { return object_; }

 private:
  msgpack_zone zone_;
  msgpack_object object_;
};

std::string text_of(const msgpack_object& object) {
  if (object.type == MSGPACK_OBJECT_STR) return {object.via.str.ptr, object.via.str.size};
  if (object.type == MSGPACK_OBJECT_POSITIVE_INTEGER) return std::to_string(object.via.u64);
  fail("a name is neither a text nor a number");
}

c10::ScalarType dtype_of(const std::string& name) {
  if (const auto dtype = dtype_named(name)) return *dtype;
  fail("arrays of dtype '" + name + "' are not supported");
}

// (shape, dtype, bytes), packed once more.
Tensor array_of(const msgpack_object_ext& ext) {
  const Unpacked inner(ext.ptr, ext.size);
  const msgpack_object& parts = inner.object();
  if (parts.type != MSGPACK_OBJECT_ARRAY || parts.via.array.size != 3 ||
      parts.via.array.ptr[0].type != MSGPACK_OBJECT_ARRAY ||
      parts.via.array.ptr[2].type != MSGPACK_OBJECT_BIN) {
    fail("an array is stored in an unknown way");
  }
  std::vector<std::int64_t> shape;
  const msgpack_object_array& sizes = parts.via.array.ptr[0].via.array;
  std::uint64_t bytes = 1;
  for (std::uint32_t i = 0; i < sizes.size; ++i) {
    if (sizes.ptr[i].type != MSGPACK_OBJECT_POSITIVE_INTEGER) fail("a shape is no list of numbers");
    shape.push_back(static_cast<std::int64_t>(sizes.ptr[i].via.u64));
    if (__builtin_mul_overflow(bytes, sizes.ptr[i].via.u64, &bytes)) fail("an array is too big");
  }
  const msgpack_object_bin& data = parts.via.array.ptr[2].via.bin;
  const c10::ScalarType dtype = dtype_of(text_of(parts.via.array.ptr[1]));
  if (__builtin_mul_overflow(bytes, c10::elementSize(dtype), &bytes) || bytes != data.size) {
    fail("an array has " + std::to_string(data.size) + " bytes, not those of its shape");
  }
  Tensor out = at::empty(shape, at::TensorOptions(dtype));
  if (bytes > 0) std::memcpy(out.mutable_data_ptr(), data.ptr, bytes);
  return out;
}

// Big arrays come in pieces: {"__msgpack_chunked_array__": true, "shape": {...}, "chunks": {...}}.
Tree joined(Tree tree) {
  if (!tree.contains("__msgpack_chunked_array__")) return tree;
  auto items = [&](const char* name) {
    std::vector<Tensor> out;
    const Tree& all = tree[name];
    for (std::size_t i = 0; i < all.size(); ++i) out.push_back(all[std::to_string(i)].tensor());
    return out;
  };
  std::vector<std::int64_t> shape;
  for (const Tensor& n : items("shape")) shape.push_back(n.item<std::int64_t>());
  std::vector<Tensor> pieces;
  for (const Tensor& piece : items("chunks")) pieces.push_back(piece.reshape({-1}));
  return Tree(at::cat(pieces).reshape(shape));
}

Tree tree_of(const msgpack_object& object, int depth) {
  if (depth > konfig::kMaxDepth) fail("it is nested too deep");
  switch (object.type) {
    case MSGPACK_OBJECT_NIL:
      return {};
    case MSGPACK_OBJECT_BOOLEAN:
      return Tree(at::full({}, object.via.boolean, at::kBool));
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
      return Tree(at::full({}, object.via.i64, at::kLong));
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
      return Tree(at::full({}, object.via.f64, at::kDouble));
    case MSGPACK_OBJECT_STR:
      return Tree(Tree::Texts{text_of(object)});
    case MSGPACK_OBJECT_ARRAY: {
      Tree out = Tree::list();
      for (std::uint32_t i = 0; i < object.via.array.size; ++i) {
        out.push_back(tree_of(object.via.array.ptr[i], depth + 1));
      }
      return out;
    }
    case MSGPACK_OBJECT_MAP: {
      Tree out = Tree::dict();
      for (std::uint32_t i = 0; i < object.via.map.size; ++i) {
        const msgpack_object_kv& entry = object.via.map.ptr[i];
        out[text_of(entry.key)] = tree_of(entry.val, depth + 1);
      }
      return joined(std::move(out));
    }
    case MSGPACK_OBJECT_EXT:
      if (object.via.ext.type == kArray || object.via.ext.type == kScalar) {
        return Tree(array_of(object.via.ext));
      }
      fail("it has an extension of type " + std::to_string(object.via.ext.type) +
           ", which is neither an array nor a number");
    default:
      fail("it has a part of an unknown kind");
  }
}

}  // namespace

Tree from_flax(std::string_view bytes, const std::string& name) {
  try {
    const Unpacked all(bytes.data(), bytes.size());
    return tree_of(all.object(), 0);
  } catch (const Error& error) {
    throw Error(error.kind(), name + ": " + error.what());
  }
}

}  // namespace kd::ckpts
