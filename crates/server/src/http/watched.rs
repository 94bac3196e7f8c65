//! Which match a request is about, and whether who asks may see it.
//!
//! Every route below `matches/{id}` takes a [`Watched`] before anything else is read: to a stranger a
//! private match is like one that does not exist, in status, body, headers and time.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use domain::MatchId;
use http::HeaderName;
use http::request::Parts;
use identity::Claims;
use protocol::Code;
use storage::Access;

use super::session::Visitor;
use super::{App, Client, Path, Refusal};
use crate::links;

/// Where the secret of a watch link travels: not in the address, which proxies log.
const X_WATCH_KEY: HeaderName = HeaderName::from_static("x-watch-key");

/// A match that whoever asks may watch.
pub(super) struct Watched {
    pub(super) id: MatchId,
    pub(super) claims: Option<Claims>,
    access: Access,
}

impl FromRequestParts<Arc<App>> for Watched {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Refusal> {
        let Client { address, .. } = Client::from_request_parts(parts, app).await?;
        let Visitor(claims) = Visitor::from_request_parts(parts, app).await?;
        let Path(id) = Path::<String>::from_request_parts(parts, app).await?;
        let key = parts.headers.get(X_WATCH_KEY).map(|key| links::key_of(key.as_bytes()));
        let Ok(id) = id.parse() else {
            return Err(app.miss(app.limits.purse(None, address)));
        };
        let player = claims.as_ref().map(|claims| claims.player);
        match app.store.find_access(id, player, key).await? {
            Some(access) => Ok(Watched { id, claims, access }),
            None => Err(app.miss(app.limits.purse(None, address))),
        }
    }
}

impl Watched {
    /// Who asks, if the match is theirs.
    pub(super) fn own(self) -> Result<(MatchId, Claims), Refusal> {
        let claims = self.claims.ok_or(Code::Unauthorized)?;
        match self.access {
            Access::Own => Ok((self.id, claims)),
            Access::Public | Access::Link => {
                Err(Refusal::new(Code::Forbidden, "only a player of this match may do this"))
            }
        }
    }
}
