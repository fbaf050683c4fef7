// File formats stand in kd/io. Here they are known by their own names, too: `data::map_file`.
#pragma once

namespace kd::io {}

namespace kd::data {
using namespace io;
}  // namespace kd::data
