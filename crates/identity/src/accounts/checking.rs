//! Whether a token counts, and what becomes of a session whose token was reused.

use std::sync::{MutexGuard, PoisonError};

use audit::AuthEvent;
use storage::{Change, StorageError, Thing};

use super::{Accounts, Result, context};
use crate::sessions::Standing;
use crate::{Claims, TokenError};

impl Accounts {
    /// What a token says, if it counts. A token that is used long after its rotation ends its session;
    /// [`Accounts::end_reused`] must be called to store that.
    pub fn verify_token(&self, token: &str) -> std::result::Result<Claims, TokenError> {
        let now_ms = self.time.now_ms();
        let claims = self.tokens.verify(token, now_ms)?;
        match self.dead_tokens.judge(&claims, now_ms) {
            Standing::Alive => Ok(claims),
            Standing::Dead => Err(TokenError::Invalid),
            Standing::Reused => {
                self.reused().push(claims);
                Err(TokenError::Invalid)
            }
        }
    }

    /// As [`Accounts::verify_token`], and stores the end of a session whose token was reused.
    pub async fn check_token(
        &self,
        token: &str,
        request: Option<&str>,
    ) -> std::result::Result<Claims, TokenError> {
        let checked = self.verify_token(token);
        if checked.is_err() {
            // The session has ended in memory already; storing it is tried again every second.
            let _ = self.end_reused(request).await;
        }
        checked
    }

    /// Stores the end of the sessions whose tokens were reused. Each stays in the list until it is stored, also
    /// if this future is dropped while it waits for the database.
    pub async fn end_reused(&self, request: Option<&str>) -> Result<()> {
        loop {
            let Some(claims) = self.reused().first().cloned() else { return Ok(()) };
            let now_ms = self.time.now_ms();
            let unit = vec![
                // Two callers may be here for the same session: only one of them ends it.
                Change::HoldSession { id: claims.session },
                Change::RevokeSession { id: claims.session, now_ms },
                self.audit(&AuthEvent::TokenReused, context(&claims, request))?,
            ];
            match self.store.commit(unit).await {
                // The session may have ended, or have been purged, meanwhile.
                Ok(())
                | Err(
                    StorageError::NotFound(Thing::Session) | StorageError::Conflict(Thing::Session),
                ) => self.reused().retain(|it| it.session != claims.session),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn reused(&self) -> MutexGuard<'_, Vec<Claims>> {
        self.reused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
