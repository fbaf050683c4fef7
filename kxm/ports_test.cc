#include "kxm/fixture_test.h"
#include "kxm/ports_impl.h"

namespace kxm {
namespace {

TEST(Ports, OnePortForEachName) {
  std::vector<std::string> argv = {"prog", "--a=__kxm_port__(a)", "__kxm_port__(b):__kxm_port__(a)",
                                   "__kxm_port__(open"};
  choose_ports(argv);
  const std::string a = argv[1].substr(4);
  EXPECT_GT(std::stoi(a), 1023);
  EXPECT_EQ(argv[2].substr(argv[2].find(':') + 1), a);
  EXPECT_NE(argv[2].substr(0, argv[2].find(':')), a);
  EXPECT_EQ(argv[3], "__kxm_port__(open");
}

using LocalPorts = RunTest;

TEST_F(LocalPorts, AreChosenWhenAJobStarts) {
  PlannedJob job = shell("echo $0");
  job.argv.push_back("__kxm_port__(xprof)");
  const int xid = record({{job}});
  EXPECT_EQ(run(xid).units, counts(1));
  EXPECT_THAT(log(xid, 1), testing::MatchesRegex("[0-9]+\n"));
}

}  // namespace
}  // namespace kxm
