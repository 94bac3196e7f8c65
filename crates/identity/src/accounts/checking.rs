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

    /// Stores the end of the sessions whose tokens were reused.
    pub async fn end_reused(&self, request: Option<&str>) -> Result<()> {
        let mut reused = std::mem::take(&mut *self.reused());
        while let Some(claims) = reused.pop() {
            let now_ms = self.time.now_ms();
            let unit = vec![
                Change::RevokeSession { id: claims.session, now_ms },
                self.audit(&AuthEvent::TokenReused, context(&claims, request))?,
            ];
            match self.store.commit(unit).await {
                // The session may have been purged meanwhile.
                Ok(()) | Err(StorageError::NotFound(Thing::Session)) => {}
                Err(error) => {
                    reused.push(claims);
                    self.reused().append(&mut reused);
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    fn reused(&self) -> MutexGuard<'_, Vec<Claims>> {
        self.reused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
