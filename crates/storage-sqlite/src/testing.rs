//! SQL past the store, for tests.

use std::path::Path;

use rusqlite::Connection;

/// Runs SQL in a database file that no server has open.
///
/// # Panics
///
/// If the file cannot be opened or the SQL fails: the test cannot go on.
#[expect(clippy::expect_used, reason = "without its data the test ends here")]
pub fn execute(path: &Path, sql: &str) {
    let connection = Connection::open(path).expect("the file opens");
    connection.execute_batch(sql).expect("the SQL is right");
}
