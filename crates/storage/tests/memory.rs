//! The memory backend keeps the contract; and the contract's list is whole.

use std::future::{Ready, ready};
use std::sync::Arc;

use storage::{MemoryStore, Store, contract_tests};

fn make_store() -> Ready<(Arc<dyn Store>, ())> {
    ready((Arc::new(MemoryStore::default()), ()))
}

contract_tests!(make_store);

#[test]
fn every_case_of_the_contract_is_in_its_list() {
    let list = include_str!("../src/contract/mod.rs");
    let files = [
        include_str!("../src/contract/audits.rs"),
        include_str!("../src/contract/lobbies.rs"),
        include_str!("../src/contract/matches.rs"),
        include_str!("../src/contract/players.rs"),
        include_str!("../src/contract/sessions.rs"),
    ];
    let lines = files.iter().flat_map(|file| file.lines());
    let names = lines.filter_map(|line| line.strip_prefix("pub async fn ")?.split('(').next());
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 40, "{names:?}");
    for name in names {
        assert!(list.lines().any(|line| line.trim() == name), "{name} is not in contract_tests!");
    }
}
