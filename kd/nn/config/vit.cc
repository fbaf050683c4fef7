// Vision transformers by their sizes, and by the names of those sizes.
#include <algorithm>
#include <cctype>

#include "base/join.h"
#include "base/number_in.h"
#include "kd/nn/models/vit.h"
#include "konfig/error.h"
#include "konfig/register.h"
#include "konfig/suggest.h"

namespace kd::nn {

using konfig::Error;
using konfig::ErrorKind;

namespace {

struct Size {
  std::string_view name;
  int hidden_size, num_layers, mlp_size, num_heads;
};

// Table 2 of "Scaling Vision Transformers" (arxiv.org/abs/2106.04560), and mu for tests.
constexpr Size kSizes[] = {
    {"mu", 32, 1, 128, 2},      {"Ti", 192, 12, 768, 3},   {"S", 384, 12, 1536, 6},
    {"M", 512, 12, 2048, 8},    {"B", 768, 12, 3072, 12},  {"L", 1024, 24, 4096, 16},
    {"H", 1280, 32, 5120, 16},  {"g", 1408, 40, 6144, 16}, {"G", 1664, 48, 8192, 16},
    {"e", 1792, 56, 15360, 16},
};

const Size& find_size(const std::string& variant, std::string_view name) {
  std::vector<std::string> known;
  for (const Size& size : kSizes) {
    if (size.name == name) return size;
    known.emplace_back(size.name);
  }
  throw Error(ErrorKind::key, "\"" + variant + "\": there is no size '" + std::string(name) + "'" +
                                  konfig::did_you_mean(name, known) + "; there are " +
                                  base::join(known, ", "));
}

struct Parsed {
  Size size;
  std::optional<int> patch;
};

bool is_vit(std::string_view text) {
  auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return text.size() > 4 && lower(text[0]) == 'v' && lower(text[1]) == 'i' &&
         lower(text[2]) == 't' && (text[3] == '-' || text[3] == '_');
}

// "ViT-Ti/4", "B", "L/16".
Parsed parse(const std::string& variant) {
  auto fail = [&] {
    throw Error(ErrorKind::value, "\"" + variant +
                                      "\" is no variant of a ViT; one is written \"ViT-B/16\", "
                                      "\"B/16\" or \"B\"");
  };
  std::string_view rest = variant;
  if (is_vit(rest)) rest.remove_prefix(4);
  auto slash = rest.find('/');
  std::string_view name = rest.substr(0, slash);
  bool letters =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  if (name.empty() || name.size() > 2 || !letters) fail();
  Parsed out{find_size(variant, name), {}};
  if (slash == rest.npos) return out;
  std::string_view digits = rest.substr(slash + 1);
  out.patch = base::number_in<int>(digits);
  if (!out.patch || digits.starts_with('-')) fail();
  return out;
}

PatchSize patch_of(const Ints& size) {
  auto sides = size.repeated(2);
  if (sides.size() != 2 || sides[0] < 1 || sides[1] < 1) {
    throw Error(ErrorKind::value, "patch_size", "expected a size, or height and width");
  }
  return {sides[0], sides[1]};
}

}  // namespace

VitEncoder VitEncoder::from_spec(const VitSpec& spec) {
  VitEncoder encoder{.pos_embedding = spec.pos_embedding,
                     .encoder_norm = spec.encoder_norm,
                     .prepend_cls_token = spec.prepend_cls_token,
                     .cls_token_init = spec.cls_token_init,
                     .image = spec.image};
  encoder.embedding =
      PatchifyEmbed{.patch_size = patch_of(*spec.patch_size), .hidden_size = spec.hidden_size};
  for (int i = 0; i < spec.num_layers; ++i) {
    encoder.layers.push_back(spec.block_type(
        {.attention_norm = LayerNorm{.dtype = spec.dtype},
         .mlp_norm = LayerNorm{.dtype = spec.dtype},
         .attention = ImprovedMultiHeadDotProductAttention{.num_heads = spec.num_heads},
         .mlp = TransformerMLP{.hidden_size = spec.mlp_size}}));
  }
  return encoder;
}

VitEncoder VitEncoder::from_variant_str(const VitVariant& variant) {
  auto [size, patch] = parse(*variant.variant_str);
  std::optional<Ints> patch_size = variant.patch_size;
  if (!patch_size && patch) patch_size = Ints(*patch);
  if (!patch_size) {
    throw Error(ErrorKind::type, "patch_size",
                "missing: \"" + *variant.variant_str + "\" has no patch size; write \"" +
                    *variant.variant_str + "/16\"");
  }
  return from_spec({.num_heads = variant.num_heads.value_or(size.num_heads),
                    .hidden_size = variant.hidden_size.value_or(size.hidden_size),
                    .num_layers = variant.num_layers.value_or(size.num_layers),
                    .patch_size = *patch_size,
                    .mlp_size = variant.mlp_size.value_or(size.mlp_size),
                    .block_type = variant.block_type,
                    .dtype = variant.dtype,
                    .pos_embedding = variant.pos_embedding,
                    .encoder_norm = variant.encoder_norm,
                    .prepend_cls_token = variant.prepend_cls_token,
                    .cls_token_init = variant.cls_token_init,
                    .image = variant.image});
}

}  // namespace kd::nn

template const konfig::Type& konfig::type_of<kd::nn::VitSpec>();
template const konfig::Type& konfig::type_of<kd::nn::VitVariant>();
KONFIG_FUNCTION("kauldron.kd:nn.VitEncoder.from_spec", kd::nn::VitEncoder::from_spec);
KONFIG_FUNCTION("kauldron.kd:nn.VitEncoder.from_variant_str", kd::nn::VitEncoder::from_variant_str);
