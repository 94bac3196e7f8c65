//! Who is told of changes of lobbies. The database is the truth; here is only who wants to know.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{LobbyId, MatchId, PlayerId};
use play::room::MemberId;
use protocol::ws::{Lobbies, LobbyNews, ServerMessage, Topic};
use protocol::{Code, LobbyList, LobbySummary};
use storage::StorageError;
use tokio::sync::Notify;

use crate::app::App;
use crate::lobbies;
use crate::ws::Connection;

/// Changes that come together are told together.
const GATHER: Duration = Duration::from_millis(200);
/// Another server's changes are seen after this time.
const LOOK: Duration = Duration::from_secs(5);

/// Who watches what.
#[derive(Default)]
pub(crate) struct Topics {
    watchers: Mutex<HashMap<Topic, Vec<Arc<Connection>>>>,
    /// How often somebody was told of a change; raised while `watchers` is locked.
    news: AtomicU64,
    /// The list of lobbies has changed.
    stale: Notify,
}

impl Topics {
    fn watchers(&self) -> MutexGuard<'_, HashMap<Topic, Vec<Arc<Connection>>>> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a connection how a topic stands, and of every change from now on.
    pub(crate) async fn watch(
        &self,
        app: &App,
        topic: Topic,
        connection: &Arc<Connection>,
    ) -> Result<(), Code> {
        {
            let mut watchers = self.watchers();
            let of_topic = watchers.entry(topic).or_default();
            of_topic.retain(|it| it.id() != connection.id());
            of_topic.push(connection.clone());
        }
        loop {
            let seen = self.news.load(Ordering::Acquire);
            let message = how_it_stands(app, topic).await?;
            let _watchers = self.watchers();
            // Whoever was told of a change meanwhile must not hear last how it stood before.
            if self.news.load(Ordering::Acquire) == seen {
                connection.say(&message);
                return Ok(());
            }
        }
    }

    pub(crate) fn unwatch(&self, topic: Topic, member: MemberId) {
        let mut watchers = self.watchers();
        if let Some(of_topic) = watchers.get_mut(&topic) {
            of_topic.retain(|it| it.id() != member);
            if of_topic.is_empty() {
                watchers.remove(&topic);
            }
        }
    }

    /// A connection is gone.
    pub(crate) fn forget(&self, member: MemberId) {
        let mut watchers = self.watchers();
        watchers.retain(|_, of_topic| {
            of_topic.retain(|it| it.id() != member);
            !of_topic.is_empty()
        });
    }

    /// A lobby has changed or closed.
    pub(crate) fn tell_lobby(&self, id: LobbyId, lobby: Option<LobbySummary>) {
        let news = ServerMessage::Lobby(LobbyNews { id, lobby, match_id: None });
        self.tell(Topic::Lobby(id), |_| &news);
        self.stale.notify_one();
    }

    /// A lobby has become a match, which all may know of or only these players. To others the lobby
    /// has closed.
    pub(crate) fn tell_started(&self, id: LobbyId, next: MatchId, only: Option<&[PlayerId]>) {
        let news = |match_id| ServerMessage::Lobby(LobbyNews { id, lobby: None, match_id });
        let (started, closed) = (news(Some(next)), news(None));
        let is_told = |player| only.is_none_or(|only| only.contains(&player));
        self.tell(
            Topic::Lobby(id),
            |watcher| {
                if is_told(watcher.player()) { &started } else { &closed }
            },
        );
        self.stale.notify_one();
    }

    fn tell<'m>(&self, topic: Topic, message_for: impl Fn(&Connection) -> &'m ServerMessage<'m>) {
        let watchers = self.watchers();
        self.news.fetch_add(1, Ordering::Release);
        for watcher in watchers.get(&topic).into_iter().flatten() {
            watcher.say(message_for(watcher));
        }
    }

    /// Tells the list of lobbies whenever it has changed.
    pub(crate) async fn run(&self, app: &App) {
        let mut told = None;
        loop {
            let _ = tokio::time::timeout(LOOK, self.stale.notified()).await;
            tokio::time::sleep(GATHER).await;
            if !self.watchers().contains_key(&Topic::Lobbies) {
                told = None;
                continue;
            }
            let Ok(message) = first_page(app).await else {
                continue;
            };
            if told.as_ref() == Some(&message) {
                continue;
            }
            let news = ServerMessage::Lobbies(message.clone());
            self.tell(Topic::Lobbies, |_| &news);
            told = Some(message);
        }
    }
}

async fn first_page(app: &App) -> Result<Lobbies, StorageError> {
    let LobbyList { lobbies, next_offset } = lobbies::list(app, lobbies::PAGE_MAX, 0).await?;
    Ok(Lobbies { lobbies, next_offset })
}

async fn how_it_stands(app: &App, topic: Topic) -> Result<ServerMessage<'static>, Code> {
    Ok(match topic {
        Topic::Lobbies => {
            ServerMessage::Lobbies(first_page(app).await.map_err(|_| Code::Unavailable)?)
        }
        Topic::Lobby(id) => {
            let lobby = match lobbies::find(app, id).await {
                Ok(lobby) => Some(lobby.summary()),
                Err(lobbies::LobbyFailure::Store(_)) => return Err(Code::Unavailable),
                Err(_) => None,
            };
            ServerMessage::Lobby(LobbyNews { id, lobby, match_id: None })
        }
    })
}
