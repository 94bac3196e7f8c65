//! What a deleted account leaves in the files of the data folder.

use std::path::Path;
use std::time::{Duration, Instant};

use protocol::Profile;
use serde_json::{Value, json};
use storage::Change;

use crate::kit::TestServer;
use crate::socket::Socket;

/// Long enough for any machine; the files are read again until then.
const PATIENCE: Duration = Duration::from_mins(1);

/// Which of these texts are in a file of the folder.
fn found<'t>(folder: &Path, texts: &[&'t str]) -> Vec<&'t str> {
    let mut bytes = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        bytes.extend(std::fs::read(file.unwrap().path()).unwrap_or_default());
    }
    bytes.make_ascii_lowercase();
    let is_in = |text: &&&str| {
        let text = text.to_ascii_lowercase();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    texts.iter().filter(is_in).copied().collect()
}

#[tokio::test]
async fn name_and_password_hash_of_a_deleted_account_are_in_no_file() {
    let server = TestServer::start().await;
    let Some(folder) = server.files() else {
        // PostgreSQL keeps deleted rows until it vacuums; docs/security.md says so.
        return;
    };
    let [ada, bob] = [server.register("Quillfeather").await, server.register("Bob").await];
    let hash =
        async |name: &str| server.store.find_credential(name).await.unwrap().unwrap().password_hash;
    let first_hash = hash("quillfeather").await;
    let reset = Change::StoreCredential { player: ada.id, password_hash: "$second$hash".into() };
    server.store.commit(vec![reset]).await.unwrap();

    // The name is in lobbies, in the pairing queue, and in a match that is over.
    let terms = json!({"game": "santorini"});
    let open = async |path: &str| {
        let body = json!({"terms": terms, "public": true});
        let lobby: Value = bob.bearer.post(path, &body).await.json(201);
        format!("{path}/{}", lobby["id"].as_str().unwrap())
    };
    let played = open("/api/v1/lobbies").await;
    let _: Value = ada.bearer.post_empty(&format!("{played}/join")).await.json(200);
    let started: Value = bob.bearer.post_empty(&format!("{played}/start")).await.json(201);
    let id: domain::MatchId = started["match"].as_str().unwrap().parse().unwrap();
    let mut socket = Socket::open(server.address, &ada.token).await;
    socket.join(id).await;
    socket.send(&json!({"type": "resign", "match": id})).await;
    socket.expect("over").await;
    let waiting = open("/api/v1/lobbies").await;
    let _: Value = ada.bearer.post_empty(&format!("{waiting}/join")).await.json(200);
    let _: Value = ada.bearer.post("/api/v1/pairing", &terms).await.json(200);

    let _: Profile =
        ada.bearer.put("/api/v1/profile", &json!({"name": "Wrenfeather"})).await.json(200);
    let texts = ["quillfeather", "wrenfeather", &first_hash, "$second$hash"];
    assert!(!found(&folder, &texts).is_empty(), "the search finds what is there");
    ada.bearer.delete("/api/v1/profile").await.empty();
    let start = Instant::now();
    while !found(&folder, &texts).is_empty() {
        assert!(start.elapsed() < PATIENCE, "{:?}", found(&folder, &texts));
        tokio::task::yield_now().await;
    }
    let kept = server.stop_and_keep().await;
    assert_eq!(found(&folder, &texts), [""; 0]);
    assert_eq!(found(&folder, &["bob"]), ["bob"]);
    drop(kept);
}
