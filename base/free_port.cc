#include "base/free_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace base {

FreePorts::~FreePorts() {
  for (const int socket : sockets_) ::close(socket);
}

int FreePorts::next() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return 0;
  sockets_.push_back(socket);
  sockaddr_in address = {};  // any interface: a program may listen on any of them
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool ok = ::bind(socket, any, size) == 0 && ::getsockname(socket, any, &size) == 0;
  return ok ? ntohs(address.sin_port) : 0;
}

int free_port() { return FreePorts().next(); }

}  // namespace base
