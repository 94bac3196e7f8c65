//! The embedded store keeps the contract.

use std::future::{Ready, ready};

use storage::contract_tests;
use storage_sqlite::SqliteStore;
use tempfile::TempDir;

fn make_store() -> Ready<(Box<SqliteStore>, TempDir)> {
    let folder = TempDir::new().expect("a temporary folder");
    let store = SqliteStore::open(&folder.path().join("parlor.db")).expect("a store");
    ready((Box::new(store), folder))
}

contract_tests!(make_store);
