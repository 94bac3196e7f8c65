//! What the owner of an account does with it: the password, the sessions.

use audit::{AuthEvent, LoginFailure};
use domain::{SessionId, Username};
use storage::{Change, Session};

use super::{Accounts, AuthError, Result, context, dead_session, store_credential};
use crate::{Claims, Password, PasswordHash, TokenError, Verdict};

/// How many sessions a list has; nobody reads more.
const SESSIONS_MAX: u32 = 100;

impl Accounts {
    /// Gives the asker's account another password, if the old one is right. All other sessions end.
    pub async fn change_password(
        &self,
        claims: &Claims,
        old: &str,
        new: &str,
        request: Option<&str>,
    ) -> Result<()> {
        let player = claims.player;
        let account = self.store.find_player(player).await?.ok_or(TokenError::Invalid)?;
        let new = Password::parse(new, &Username::parse(&account.name)?)?;
        let credential = self.store.find_credential(&account.name).await?;
        // Renamed at this moment: the client asks again.
        let credential = credential.filter(|found| found.player.id == player);
        let credential = credential.ok_or(AuthError::InvalidCredentials)?;
        let verdict = match Password::entered(old) {
            Some(old) => {
                let stored = PasswordHash::parse(&credential.password_hash)?;
                self.hasher.verify(old, Some(stored)).await?
            }
            None => Verdict::Wrong,
        };
        if matches!(verdict, Verdict::Wrong) {
            self.note_failed_login(Some(player), LoginFailure::WrongPassword, request).await?;
            return Err(AuthError::InvalidCredentials);
        }
        let hash = self.hasher.hash(new).await?;
        let now_ms = self.time.now_ms();
        let unit = vec![
            // Of two sessions that end each other at once, one succeeds.
            Change::HoldSession { id: claims.session },
            store_credential(player, &hash),
            Change::RevokeSessionsOf { player, except: Some(claims.session), now_ms },
            self.audit(&AuthEvent::PasswordChanged, context(claims, request))?,
        ];
        self.store.commit(unit).await.map_err(dead_session)?;
        self.learn_at_once().await;
        Ok(())
    }

    /// The asker's sessions, the latest first.
    pub async fn sessions(&self, claims: &Claims) -> Result<Vec<Session>> {
        let now_ms = self.time.now_ms();
        Ok(self.store.sessions_of(claims.player, now_ms, SESSIONS_MAX).await?)
    }

    /// Ends a session of the asker's.
    pub async fn end_session(
        &self,
        claims: &Claims,
        id: SessionId,
        request: Option<&str>,
    ) -> Result<()> {
        let now_ms = self.time.now_ms();
        let found = self.store.find_session(id).await?;
        let is_open = |session: &Session| {
            let is_own = session.player == claims.player;
            is_own && !session.is_revoked && now_ms < session.until_ms
        };
        let session = found.filter(is_open).ok_or(AuthError::SessionNotFound)?;
        let event = if id == claims.session {
            AuthEvent::LoggedOut
        } else {
            AuthEvent::SessionEnded { session: id }
        };
        let unit = vec![
            Change::RevokeSession { id, now_ms },
            self.audit(&event, context(claims, request))?,
        ];
        self.store.commit(unit).await.map_err(dead_session)?;
        let ended = Session { is_revoked: true, changed_ms: now_ms, ..session };
        self.dead_tokens.learn(&[ended], now_ms);
        Ok(())
    }
}
