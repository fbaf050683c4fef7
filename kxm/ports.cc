// Free ports for jobs that listen.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>

#include "kxm/plan.h"
#include "kxm/ports_impl.h"

namespace kxm {

namespace {

// Sockets stay open until all ports are chosen, so that no two are the same.
class Ports {
 public:
  ~Ports() {
    for (const int socket : sockets_) ::close(socket);
  }
  int port(const std::string& name) {
    if (auto found = ports_.find(name); found != ports_.end()) return found->second;
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) fail();
    sockets_.push_back(socket);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket, any, size) != 0 || ::getsockname(socket, any, &size) != 0) fail();
    return ports_[name] = ntohs(address.sin_port);
  }

 private:
  [[noreturn]] static void fail() {
    throw std::system_error(errno, std::generic_category(), "no free port can be found");
  }
  std::vector<int> sockets_;
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
