// SQLite: a connection and its prepared statements.
#include "konfig/error.h"
#include "kxm/sqlite_impl.h"

namespace kxm {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr int kBusyMilliseconds = 60'000;  // another launcher records its units meanwhile

}  // namespace

Connection::Connection(const std::filesystem::path& file, Mode mode) : file_(file) {
  std::string name = file.string();
  int flags = SQLITE_OPEN_NOMUTEX;
  if (mode == Mode::memory) {
    name = ":memory:";
    flags |= SQLITE_OPEN_READWRITE;
  } else if (mode == Mode::write) {
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  } else {
    flags |= SQLITE_OPEN_READONLY;
  }
  if (mode == Mode::immutable) {
    std::string uri = "file:";
    for (const char c : name) {
      if (c == '?' || c == '#' || c == '%') {
        constexpr char kDigits[] = "0123456789abcdef";
        uri += {'%', kDigits[c >> 4], kDigits[c & 15]};
      } else {
        uri += c;
      }
    }
    name = uri + "?immutable=1";
    flags |= SQLITE_OPEN_URI;
  }
  if (sqlite3_open_v2(name.c_str(), &db_, flags, nullptr) != SQLITE_OK) {
    try {
      fail("cannot be opened");
    } catch (...) {
      sqlite3_close(db_);
      throw;
    }
  }
  sqlite3_busy_timeout(db_, kBusyMilliseconds);
}

Connection::~Connection() {
  for (auto& [sql, statement] : idle_) sqlite3_finalize(statement);
  sqlite3_close(db_);
}

bool Connection::has_its_files() {
  constexpr const char* kFirst = "SELECT count(*) FROM sqlite_master";
  if (sqlite3_exec(db_, kFirst, nullptr, nullptr, nullptr) == SQLITE_OK) return true;
  switch (sqlite3_errcode(db_) & 0xFF) {
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return false;
    default:
      fail("cannot be read");
  }
}

bool Connection::is_lost() const {
  int moved = 0;
  sqlite3_file_control(db_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

void Connection::abandon() { sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr); }

sqlite3_stmt* Connection::take(std::string_view sql) {
  if (const auto found = idle_.find(sql); found != idle_.end()) {
    sqlite3_stmt* statement = found->second;
    idle_.erase(found);
    return statement;
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr) !=
      SQLITE_OK) {
    fail("cannot be read");
  }
  return statement;
}

void Connection::give_back(sqlite3_stmt* statement) {
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  // One of each: a query inside of another one like it has a statement of its own.
  if (!idle_.try_emplace(sqlite3_sql(statement), statement).second) sqlite3_finalize(statement);
}

void Connection::fail(const std::string& doing) const {
  std::string why = sqlite3_errmsg(db_);
  std::string fix;
  switch (sqlite3_errcode(db_) & 0xFF) {
    case SQLITE_FULL:
      fix = "; free some space, then try again";
      break;
    case SQLITE_IOERR:  // of a full disk, too, where its shared memory cannot grow
      fix = "; look whether the disk is full, then try again";
      break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      fix = "; make the folder writable, or name another one in KD_STATE";
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      fix = "; move it away and run `kd state rebuild`";
      break;
    default:
      break;
  }
  throw Error(ErrorKind::value, file_.string() + ": " + doing + ": " + why + fix);
}

void Connection::exec(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("failed");
}

std::int64_t Connection::integer(const std::string& sql) {
  Query query(*this, sql);
  return query.next() ? query.integer(0) : 0;
}

Query::Query(Connection& db, std::string_view sql) : db_(db), statement_(db.take(sql)) {}

bool Query::next() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  sqlite3_reset(statement_);
  db_.fail("failed");
}

std::string_view Query::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes ? std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size))
               : std::string_view();
}

Transaction::~Transaction() {
  if (!done_) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  db_.exec("COMMIT");
  done_ = true;
}

}  // namespace kxm
