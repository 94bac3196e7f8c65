//! The contract of every store, on PostgreSQL; each case in a database of its own.

#![expect(clippy::unwrap_used, reason = "a test without its database ends here")]

use storage_postgres::PostgresStore;
use storage_postgres::testing::TestDatabase;

async fn make_store() -> (Box<PostgresStore>, TestDatabase) {
    let database = TestDatabase::create().await;
    (Box::new(database.connect().await.unwrap()), database)
}

storage::contract_tests!(
    #[ignore = "needs PostgreSQL; cargo xtask test runs it"]
    make_store
);
