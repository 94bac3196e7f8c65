//! What is removed after its time: sessions, guests, matches, audit records, lobbies.

use std::sync::Arc;
use std::time::Duration;

use audit::{Context, SystemEvent};
use storage::{Change, StorageError};
use tokio::time::sleep;

use crate::app::App;
use crate::lobbies;

const PURGE_PERIOD: Duration = Duration::from_hours(24);
const PURGE_RETRY: Duration = Duration::from_hours(1);
/// How many rows one step of the daily purge finds or removes.
const PURGE_STEP: u32 = 1000;
const SWEEP_PERIOD: Duration = Duration::from_mins(1);

impl App {
    pub(crate) async fn purge_daily(self: Arc<App>) {
        loop {
            let purged = self.purge_all().await;
            if let Err(error) = &purged {
                tracing::error!(%error, "the daily purge failed");
            }
            sleep(if purged.is_ok() { PURGE_PERIOD } else { PURGE_RETRY }).await;
        }
    }

    /// Removes what is old enough, in steps that let other writes come between.
    pub async fn purge_all(&self) -> Result<(), StorageError> {
        // Expired sessions still prove when a guest was here, so they stay for as long as guests do.
        let guest_days = self.config.guests.retention_days.get();
        let expired_ms = audit::cutoff_ms(self.time.now_ms(), guest_days);
        while self.store.purge_sessions(expired_ms, PURGE_STEP).await? == u64::from(PURGE_STEP) {}
        let guests = self.purge_guests().await?;
        let matches = self.purge_matches().await?;
        let days = self.config.audit.retention_days.get();
        let records = self.purge_audit(days, Context::default()).await?;
        tracing::info!(guests, matches, records, "purged what is old");
        Ok(())
    }

    /// Removes guests who were not here for long, as a deleted account is removed.
    async fn purge_guests(&self) -> Result<u64, StorageError> {
        let now_ms = self.time.now_ms();
        let since_ms = audit::cutoff_ms(now_ms, self.config.guests.retention_days.get());
        let (mut purged, mut after) = (0, None);
        loop {
            let idle = self.store.idle_guests(since_ms, after, PURGE_STEP).await?;
            for player in &idle {
                let player = *player;
                let unit = vec![
                    Change::RequireIdleGuest { player, since_ms },
                    Change::DeletePlayer { player, now_ms },
                ];
                purged += u64::from(is_done(self.store.commit(unit).await)?);
            }
            after = idle.last().copied();
            if idle.len() < PURGE_STEP as usize {
                return Ok(purged);
            }
        }
    }

    /// Removes matches that ended long ago and in which no account has a seat.
    async fn purge_matches(&self) -> Result<u64, StorageError> {
        let days = self.config.matches.retention_days.get();
        let before_ms = audit::cutoff_ms(self.time.now_ms(), days);
        let (mut purged, mut after) = (0, None);
        loop {
            let old = self.store.matches_without_account(before_ms, after, PURGE_STEP).await?;
            for (_, match_id) in &old {
                let unit = vec![Change::DeleteMatch { match_id: *match_id }];
                purged += u64::from(is_done(self.store.commit(unit).await)?);
            }
            after = old.last().copied();
            if old.len() < PURGE_STEP as usize {
                return Ok(purged);
            }
        }
    }

    /// Closes lobbies that nobody touches any more, and forgets whose quotas are whole again.
    pub async fn sweep(&self) -> Result<(), StorageError> {
        self.limits.forget_idle();
        lobbies::close_stale(self).await
    }

    pub(crate) async fn sweep_every_minute(self: Arc<App>) {
        loop {
            if let Err(error) = self.sweep().await
                && !self.house.outage.counts(&error)
            {
                tracing::warn!(%error, "lobbies were not looked through");
            }
            sleep(SWEEP_PERIOD).await;
        }
    }

    /// Removes records that are older than so many days, and writes that down if there were any.
    pub async fn purge_audit(
        &self,
        retention_days: u32,
        context: Context,
    ) -> Result<u64, StorageError> {
        let before_ms = audit::cutoff_ms(self.time.now_ms(), retention_days);
        let purged = self.store.purge_audit(before_ms).await?;
        let event = SystemEvent::AuditPurged { retention_days, purged };
        match self.recorder.record(&event, context) {
            Ok(record) if purged > 0 => self.store.commit(vec![Change::Audit(record)]).await?,
            _ => {}
        }
        Ok(purged)
    }
}

/// Whether it was done; it is not if what was found has changed meanwhile.
fn is_done(stored: Result<(), StorageError>) -> Result<bool, StorageError> {
    match stored {
        Ok(()) => Ok(true),
        Err(StorageError::Conflict(_) | StorageError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}
