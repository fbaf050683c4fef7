#include "base/free_port.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

namespace base {
namespace {

TEST(FreePort, CanBeListenedOn) {
  const int port = free_port();
  ASSERT_GT(port, 0);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(fd, 1), 0);
  ::close(fd);
}

TEST(FreePort, SeveralAreDifferent) {
  FreePorts ports;
  std::set<int> all;
  for (int i = 0; i < 50; ++i) all.insert(ports.next());
  EXPECT_EQ(all.size(), 50u);
  EXPECT_FALSE(all.contains(0));
}

}  // namespace
}  // namespace base
