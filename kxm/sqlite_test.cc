#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temp_folder.h"
#include "konfig/error.h"
#include "kxm/sqlite_impl.h"

namespace kxm {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Sqlite, StatementsTakeAndGiveValues) {
  const base::TempFolder folder;
  const auto file = folder / "numbers.sqlite";
  Connection db(file, Connection::Mode::write);
  db.exec("CREATE TABLE t (a, b)");
  Query insert(db, "INSERT INTO t VALUES (?, ?)");
  insert.run(3, "text");
  insert.run(4, "text");
  insert.run(5, "another text");
  std::int64_t sum = 0;
  for (Query q(db, "SELECT a FROM t WHERE b = ?", "text"); q.next();) sum += q.integer(0);
  EXPECT_EQ(sum, 7);
}

TEST(Sqlite, ErrorsNameTheDatabase) {
  const base::TempFolder folder;
  Connection db(folder / "numbers.sqlite", Connection::Mode::write);
  EXPECT_THAT([&] { db.exec("CREATE TABEL t (a)"); },
              ThrowsMessage<konfig::Error>(HasSubstr("numbers.sqlite")));
}

}  // namespace
}  // namespace kxm
