// Free ports for jobs that listen.
#include <map>

#include "base/free_port.h"
#include "konfig/error.h"
#include "kxm/plan.h"
#include "kxm/ports_impl.h"

namespace kxm {
namespace {

class Ports {
 public:
  int port(const std::string& name) {
    if (auto found = ports_.find(name); found != ports_.end()) return found->second;
    const int port = free_.next();
    if (port == 0) {
      throw konfig::Error(konfig::ErrorKind::value,
                          "no free port for '" + name + "'; close programs that listen");
    }
    return ports_[name] = port;
  }

 private:
  base::FreePorts free_;  // no two are the same
  std::map<std::string, int> ports_;
};

}  // namespace

void choose_ports(std::vector<std::string>& argv) {
  Ports ports;
  for (std::string& argument : argv) {
    for (std::size_t at = argument.find(kPortProxy); at != argument.npos;
         at = argument.find(kPortProxy, at)) {
      const auto end = argument.find(')', at);
      if (end == argument.npos) break;
      const std::string name =
          argument.substr(at + kPortProxy.size(), end - at - kPortProxy.size());
      const std::string number = std::to_string(ports.port(name));
      argument.replace(at, end + 1 - at, number);
      at += number.size();
    }
  }
}

}  // namespace kxm
