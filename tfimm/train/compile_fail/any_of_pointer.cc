// An Any takes config classes only.
#include "tfimm/train/train.h"

struct NoConfig {
  void* handle = nullptr;
};

tfimm::train::Any any = NoConfig{};
