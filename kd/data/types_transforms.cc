// Registers the transforms, those that both backends of the reference share under each name.
#include "kd/also_named_impl.h"
#include "kd/data/transforms.h"
#include "kd/data/transforms_clips.h"
#include "kd/data/transforms_contrib.h"
#include "kd/data/transforms_frames.h"
#include "kd/data/transforms_names.h"
#include "kd/data/transforms_py.h"
#include "kd/data/transforms_shapes.h"
#include "kd/data/transforms_tf.h"

KONFIG_REGISTER(kd::data::Elements);
KONFIG_REGISTER(kd::data::Cast);
KONFIG_REGISTER(kd::data::ValueRange);
KONFIG_REGISTER(kd::data::Rearrange);
KONFIG_REGISTER(kd::data::Gather);
KONFIG_REGISTER(kd::data::Resize);
KONFIG_REGISTER(kd::data::CenterCrop);
KONFIG_REGISTER(kd::data::TreeFlattenWithPath);
KONFIG_REGISTER(kd::data::AddConstants);
KONFIG_REGISTER(kd::data::py::SliceDataset);
KONFIG_REGISTER(kd::data::py::RandomCrop);
KONFIG_REGISTER(kd::data::py::RandomFlipLeftRight);
KONFIG_REGISTER(kd::data::tf::OneHot);
KONFIG_REGISTER(kd::data::tf::Resize);
KONFIG_REGISTER(kd::data::tf::ResizeSmall);
KONFIG_REGISTER(kd::data::tf::InceptionCrop);
KONFIG_REGISTER(kd::data::tf::RandomCrop);
KONFIG_REGISTER(kd::data::tf::RandomFlipLeftRight);
KONFIG_REGISTER(kd::data::Reshape);
KONFIG_REGISTER(kd::data::contrib::RandAugment);
KONFIG_REGISTER(kd::data::contrib::Normalize);
KONFIG_REGISTER(kd::data::contrib::AddBias);
KONFIG_REGISTER(kd::data::contrib::Scale);
KONFIG_REGISTER(kd::data::contrib::OneMinus);
KONFIG_REGISTER(kd::data::contrib::Binarize);
KONFIG_REGISTER(kd::data::contrib::Standardize);
KONFIG_REGISTER(kd::data::contrib::ApplyW);
KONFIG_REGISTER(kd::data::contrib::Repeat);
KONFIG_REGISTER(kd::data::contrib::JaxImageResize);
KONFIG_REGISTER(kd::data::contrib::PadAxisToFixedSize);
KONFIG_REGISTER(kd::data::contrib::PadImage);
KONFIG_REGISTER(kd::data::contrib::PadImageEdgeVal);
KONFIG_REGISTER(kd::data::contrib::HStack);
KONFIG_REGISTER(kd::data::contrib::VStack);
KONFIG_REGISTER(kd::data::contrib::FetchElementZero);
KONFIG_REGISTER(kd::data::contrib::ReshapeSpatialDim);
KONFIG_REGISTER(kd::data::contrib::RandomSubsetAlongAxis);
KONFIG_REGISTER(kd::data::contrib::CreateRangeMask);
KONFIG_REGISTER(kd::data::contrib::CreateNonEqualMask);
KONFIG_REGISTER(kd::data::contrib::AddStringField);
KONFIG_REGISTER(kd::data::contrib::TreeUnflattenForKey);
KONFIG_REGISTER(kd::data::contrib::FlattenVideo);
KONFIG_REGISTER(kd::data::contrib::TimeChunkedFlattenVideo);
KONFIG_REGISTER(kd::data::contrib::SpacetimeToDepth);
KONFIG_REGISTER(kd::data::contrib::RepeatFrames);
KONFIG_REGISTER(kd::data::contrib::ExtractInitialFixedLengthClip);
KONFIG_REGISTER(kd::data::contrib::SliceWithStride);
KONFIG_REGISTER(kd::data::contrib::VideoMAENormalization);
KONFIG_REGISTER(kd::data::contrib::ThreeSpatialCrop);
KONFIG_REGISTER(kd::data::contrib::RandomFlipLeftRightVideo);
KONFIG_REGISTER(kd::data::contrib::TemporalRandomWindow);
KONFIG_REGISTER(kd::data::contrib::TemporalRandomStridedWindow);
KONFIG_REGISTER(kd::data::contrib::FirstClip);
KONFIG_REGISTER(kd::data::contrib::MiddleClip);
KONFIG_REGISTER(kd::data::contrib::RandomClip);
KONFIG_REGISTER(kd::data::contrib::MultiClip);
KONFIG_REGISTER(kd::data::contrib::RandomResize);

namespace kd::data {
namespace {

bool register_in_both() {
  const std::string module = "kauldron.kd:data.";
  for (const char* name : {"Elements", "Cast", "ValueRange", "Rearrange", "Gather", "CenterCrop",
                           "TreeFlattenWithPath", "AddConstants"}) {
    also_named(module + name, module + "py." + name);
    also_named(module + name, module + "tf." + name);
  }
  also_named(module + "Resize", module + "py.Resize");
  for (const char* name : {"RandAugment",
                           "Normalize",
                           "AddBias",
                           "Scale",
                           "OneMinus",
                           "Binarize",
                           "Standardize",
                           "ApplyW",
                           "Repeat",
                           "JaxImageResize",
                           "PadAxisToFixedSize",
                           "PadImage",
                           "PadImageEdgeVal",
                           "HStack",
                           "VStack",
                           "FetchElementZero",
                           "ReshapeSpatialDim",
                           "RandomSubsetAlongAxis",
                           "CreateRangeMask",
                           "CreateNonEqualMask",
                           "AddStringField",
                           "TreeUnflattenForKey",
                           "FlattenVideo",
                           "TimeChunkedFlattenVideo",
                           "SpacetimeToDepth",
                           "RepeatFrames",
                           "ExtractInitialFixedLengthClip",
                           "SliceWithStride",
                           "VideoMAENormalization",
                           "ThreeSpatialCrop",
                           "RandomFlipLeftRightVideo",
                           "TemporalRandomWindow",
                           "TemporalRandomStridedWindow",
                           "FirstClip",
                           "MiddleClip",
                           "RandomClip",
                           "MultiClip",
                           "RandomResize"}) {
    also_named(std::string("kauldron.contrib.data:") + name,
               std::string("kauldron.kd:contrib.data.") + name);
  }
  return true;
}

[[maybe_unused]] const bool kRegistered = register_in_both();

}  // namespace
}  // namespace kd::data
