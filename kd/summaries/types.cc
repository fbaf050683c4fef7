#include "kd/summaries/summaries.h"

KONFIG_REGISTER(kd::summaries::ShowImages);
