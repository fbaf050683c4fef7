// Registers the transforms, those that both backends of the reference share under each name.
#include "kd/data/transforms.h"
#include "kd/data/transforms_contrib.h"
#include "kd/data/transforms_py.h"
#include "kd/data/transforms_tf.h"
#include "kd/data/types_impl.h"

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
  for (const char* name :
       {"RandAugment", "Normalize", "AddBias", "Scale", "OneMinus", "Binarize"}) {
    also_named(std::string("kauldron.contrib.data:") + name,
               std::string("kauldron.kd:contrib.data.") + name);
  }
  return true;
}

[[maybe_unused]] const bool kRegistered = register_in_both();

}  // namespace
}  // namespace kd::data
