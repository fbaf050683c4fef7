#include "base/free_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace base {

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  const bool ok = fd >= 0 && ::bind(fd, any, size) == 0 && ::getsockname(fd, any, &size) == 0;
  if (fd >= 0) ::close(fd);
  return ok ? ntohs(address.sin_port) : 0;
}

}  // namespace base
