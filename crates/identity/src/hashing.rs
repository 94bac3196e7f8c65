//! Argon2id hashes of passwords, made beside the server's other work.
//!
//! A hash takes tens of milliseconds of a core and many MiB, so only a few run at once, on threads
//! that wait for nothing else, and only so many wait: logins cannot starve the matches. Where hashes
//! are kept is not decided here.

use std::fmt;
use std::hint::black_box;
use std::num::NonZeroU16;
use std::sync::Arc;

use argon2::password_hash::Error as ArgonError;
use argon2::password_hash::phc;
use argon2::{ARGON2ID_IDENT, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

use crate::Password;

/// What a hash costs. The defaults are those that OWASP recommends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HashParameters {
    /// Memory, in KiB: at least 8 a lane, at most 1 GiB.
    pub memory_kib: u32,
    /// How often the memory is gone through: 1 to 64.
    pub passes: u32,
    /// Parts of the memory that could be filled side by side: 1 to 16.
    pub lanes: u32,
}

/// Parameters outside their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a hash takes 8 KiB a lane to 1 GiB of memory, 1 to 64 passes and 1 to 16 lanes, not {0:?}"
)]
pub struct BadHashParameters(HashParameters);

impl Default for HashParameters {
    fn default() -> Self {
        HashParameters { memory_kib: 19_456, passes: 2, lanes: 1 }
    }
}

impl HashParameters {
    /// As cheap as the algorithm can be: worth nothing against an attacker.
    pub fn for_tests() -> Self {
        HashParameters { memory_kib: 8, passes: 1, lanes: 1 }
    }

    /// Upper bounds too: a row or a setting with a slip in it must not take the machine down.
    fn params(self) -> Result<Params, BadHashParameters> {
        let HashParameters { memory_kib, passes, lanes } = self;
        let params = Params::new(memory_kib, passes, lanes, None).ok();
        let is_affordable = memory_kib <= 1024 * 1024 && passes <= 64 && lanes <= 16;
        params.filter(|_| is_affordable).ok_or(BadHashParameters(self))
    }

    /// Time is in proportion to this, whatever the lanes: they are filled one after another.
    fn work(self) -> u64 {
        u64::from(self.memory_kib) * u64::from(self.passes)
    }

    fn is_below(self, wanted: HashParameters) -> bool {
        self.memory_kib < wanted.memory_kib || self.passes < wanted.passes
    }

    /// A hash for the work that `self` takes beyond `stored`; `None` if that is next to nothing.
    fn remainder(self, stored: HashParameters) -> Option<Params> {
        let missing = self.work().saturating_sub(stored.work()) / u64::from(self.passes);
        Params::new(u32::try_from(missing).ok()?, self.passes, 1, None).ok()
    }
}

/// The hash of a password, with its salt and parameters, as a PHC string.
#[derive(Clone)]
pub struct PasswordHash {
    text: String,
    parameters: HashParameters,
}

impl PasswordHash {
    /// Reads a hash that was stored.
    pub fn parse(text: &str) -> Result<PasswordHash, HashError> {
        Self::read(text).ok_or(HashError::Corrupt)
    }

    fn read(text: &str) -> Option<PasswordHash> {
        let parsed = phc::PasswordHash::new(text).ok()?;
        let params = Params::try_from(&parsed).ok()?;
        let parameters = HashParameters {
            memory_kib: params.m_cost(),
            passes: params.t_cost(),
            lanes: params.p_cost(),
        };
        parameters.params().ok()?;
        let is_whole = parsed.salt.is_some() && parsed.hash.is_some();
        let is_ours =
            parsed.algorithm == ARGON2ID_IDENT && parsed.version == Some(u32::from(Version::V0x13));
        (is_whole && is_ours).then(|| PasswordHash { text: text.to_owned(), parameters })
    }

    /// The text to store.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

/// Why there is no hash and no verdict.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// As many wait as may.
    #[error("too many passwords are being checked; try again in a moment")]
    Busy,
    /// A stored text is no hash of ours.
    #[error("a stored password hash cannot be read")]
    Corrupt,
    /// Memory or randomness ran out.
    #[error("a password could not be hashed: {0}")]
    Failed(ArgonError),
    /// The job panicked, or the server stops.
    #[error("a password's hashing was broken off")]
    Stopped(#[from] JoinError),
}

impl From<ArgonError> for HashError {
    fn from(error: ArgonError) -> Self {
        HashError::Failed(error)
    }
}

/// Whether a password is somebody's.
#[derive(Debug)]
pub enum Verdict {
    /// It is.
    Right {
        /// To be stored instead of the old hash, whose parameters are lower than today's.
        rehash: Option<PasswordHash>,
    },
    /// It is not, or there is no such user.
    Wrong,
}

/// Makes and checks hashes on a few threads.
#[derive(Debug)]
pub struct Hasher {
    parameters: HashParameters,
    decoy: PasswordHash,
    /// One for each job that runs or waits.
    places: Arc<Semaphore>,
    /// One for each job that runs.
    workers: Arc<Semaphore>,
}

impl Hasher {
    /// At most `threads` hashes are made at once, and at most `queue` more wait for their turn.
    pub fn new(
        parameters: HashParameters,
        threads: NonZeroU16,
        queue: u16,
    ) -> Result<Hasher, BadHashParameters> {
        let HashParameters { memory_kib, passes, lanes } = parameters;
        // A salt and an output of zeros: no password has this hash, and none had to be made.
        let (salt, output) = ("A".repeat(22), "A".repeat(43));
        let decoy = format!("$argon2id$v=19$m={memory_kib},t={passes},p={lanes}${salt}${output}");
        let decoy = PasswordHash::read(&decoy).ok_or(BadHashParameters(parameters))?;
        let threads = usize::from(threads.get());
        Ok(Hasher {
            parameters,
            decoy,
            places: Arc::new(Semaphore::new(threads + usize::from(queue))),
            workers: Arc::new(Semaphore::new(threads)),
        })
    }

    /// Hashes a new password.
    pub async fn hash(&self, password: Password) -> Result<PasswordHash, HashError> {
        let parameters = self.parameters;
        self.run(move || hash(parameters, &password)).await
    }

    /// Judges an attempt against the stored hash, or `None` where the user is unknown.
    ///
    /// Both take the same time, so that the time does not tell who has an account: an unknown user
    /// has a decoy, and an older, cheaper hash that does not fit is followed by the work it lacks.
    /// The other way round nothing helps: after parameters were lowered, an older, dearer hash takes
    /// longer than the decoy until its password is changed.
    pub async fn verify(
        &self,
        password: Password,
        stored: Option<PasswordHash>,
    ) -> Result<Verdict, HashError> {
        let parameters = self.parameters;
        let is_known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.decoy.clone());
        let verdict = self.run(move || judge(parameters, &password, &stored)).await?;
        Ok(if is_known { verdict } else { Verdict::Wrong })
    }

    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        // Neither semaphore is ever closed: the only refusal is a full queue.
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| HashError::Busy)?;
        let worker =
            Arc::clone(&self.workers).acquire_owned().await.map_err(|_| HashError::Busy)?;
        spawn_blocking(move || {
            // The job keeps its place also when its caller is gone: a thread cannot be called off.
            let _held = (place, worker);
            job()
        })
        .await?
    }
}

fn hash(parameters: HashParameters, password: &Password) -> Result<PasswordHash, HashError> {
    let params = parameters.params().map_err(|_| ArgonError::ParamsInvalid)?;
    let text = Argon2::from(params).hash_password(password.as_bytes())?.to_string();
    Ok(PasswordHash { text, parameters })
}

fn judge(
    wanted: HashParameters,
    password: &Password,
    stored: &PasswordHash,
) -> Result<Verdict, HashError> {
    match Argon2::default().verify_password(password.as_bytes(), stored.as_str()) {
        Ok(()) => {
            let is_old = stored.parameters.is_below(wanted);
            let rehash = is_old.then(|| hash(wanted, password)).transpose()?;
            Ok(Verdict::Right { rehash })
        }
        Err(ArgonError::PasswordInvalid) => {
            if let Some(params) = wanted.remainder(stored.parameters) {
                let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
                Argon2::from(params)
                    .hash_password_into(password.as_bytes(), &[0; 16], &mut output)
                    .map_err(ArgonError::from)?;
                black_box(output);
            }
            Ok(Verdict::Wrong)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::num::NonZeroU16;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier, mpsc};

    use super::{HashError, HashParameters, Hasher, PasswordHash, Verdict};
    use crate::Password;

    const LOW: HashParameters = HashParameters { memory_kib: 8, passes: 1, lanes: 1 };
    const MORE_MEMORY: HashParameters = HashParameters { memory_kib: 64, ..LOW };
    const MORE_PASSES: HashParameters = HashParameters { passes: 2, ..LOW };

    fn hasher(parameters: HashParameters, threads: u16, queue: u16) -> Hasher {
        Hasher::new(parameters, NonZeroU16::new(threads).unwrap(), queue).unwrap()
    }

    fn password(text: &str) -> Password {
        Password::entered(text).unwrap()
    }

    /// `None` for wrong, else whether there is a new hash.
    async fn judge(hasher: &Hasher, text: &str, stored: Option<&PasswordHash>) -> Option<bool> {
        match hasher.verify(password(text), stored.cloned()).await.unwrap() {
            Verdict::Right { rehash } => Some(rehash.is_some()),
            Verdict::Wrong => None,
        }
    }

    #[tokio::test]
    async fn only_the_same_password_is_right() {
        let hasher = hasher(LOW, 1, 0);
        let stored = hasher.hash(password("grey heron")).await.unwrap();
        assert_eq!(judge(&hasher, "grey heron", Some(&stored)).await, Some(false));
        for text in ["grey heroN", "grey heron ", "grey hero", ""] {
            assert_eq!(judge(&hasher, text, Some(&stored)).await, None, "{text:?}");
        }
        let again = hasher.hash(password("grey heron")).await.unwrap();
        assert_ne!(stored.as_str(), again.as_str(), "a salt of its own");
    }

    #[tokio::test]
    async fn an_unknown_user_has_no_right_password() {
        let hasher = hasher(LOW, 1, 0);
        assert_eq!(judge(&hasher, "grey heron", None).await, None);
        assert_eq!(judge(&hasher, "", None).await, None);
    }

    #[test]
    fn the_decoy_costs_what_a_new_hash_costs() {
        for parameters in [LOW, MORE_MEMORY, HashParameters::default()] {
            assert_eq!(hasher(parameters, 1, 0).decoy.parameters, parameters);
        }
    }

    #[tokio::test]
    async fn a_hash_is_renewed_when_parameters_rise() {
        for (old, new, expected) in [
            (LOW, LOW, false),
            (LOW, MORE_MEMORY, true),
            (LOW, MORE_PASSES, true),
            (MORE_MEMORY, MORE_PASSES, true),
            (MORE_MEMORY, LOW, false),
            (MORE_PASSES, LOW, false),
        ] {
            let stored = hasher(old, 1, 0).hash(password("grey heron")).await.unwrap();
            let stored = PasswordHash::parse(stored.as_str()).unwrap();
            let hasher = hasher(new, 1, 0);
            assert_eq!(judge(&hasher, "grey-heron", Some(&stored)).await, None);
            let verdict = hasher.verify(password("grey heron"), Some(stored)).await.unwrap();
            let Verdict::Right { rehash } = verdict else { panic!("{old:?} {new:?}: wrong") };
            assert_eq!(rehash.is_some(), expected, "{old:?} {new:?}");
            if let Some(renewed) = rehash {
                assert_eq!(renewed.parameters, new);
                assert_eq!(judge(&hasher, "grey heron", Some(&renewed)).await, Some(false));
            }
        }
    }

    #[test]
    fn what_a_cheaper_hash_lacks_is_made_up_for() {
        let check = |stored: HashParameters, expected: Option<u32>| {
            let wanted = HashParameters { memory_kib: 100, passes: 2, lanes: 1 };
            let missing = wanted.remainder(stored).map(|it| it.m_cost() * it.t_cost());
            assert_eq!(missing, expected, "{stored:?}");
        };
        check(HashParameters { memory_kib: 50, passes: 1, lanes: 1 }, Some(150));
        check(HashParameters { memory_kib: 50, passes: 3, lanes: 4 }, Some(50));
        check(HashParameters { memory_kib: 100, passes: 2, lanes: 1 }, None);
        check(HashParameters { memory_kib: 95, passes: 2, lanes: 1 }, None);
        check(HashParameters { memory_kib: 200, passes: 2, lanes: 1 }, None);
    }

    #[test]
    fn a_stored_text_that_is_no_hash_of_ours_is_corrupt() {
        let good = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$\
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        assert_eq!(PasswordHash::parse(good).unwrap().as_str(), good);
        for text in [
            "",
            "plain text",
            "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW",
            &good[..good.len() - 44],
            "$argon2id$v=19$m=8,t=1,p=1",
            &good.replace("argon2id", "argon2i"),
            &good.replace("v=19", "v=16"),
            &good.replace("v=19$", ""),
            &good.replace("m=8", "m=7"),
            &good.replace("m=8", "m=4294967295"),
            &good.replace("t=1", "t=0"),
            &good.replace("t=1", "t=65"),
            &good.replace("p=1", "p=2"),
            &format!("{good}$"),
        ] {
            let read = PasswordHash::parse(text);
            assert!(matches!(read, Err(HashError::Corrupt)), "{text:?}");
        }
    }

    #[test]
    fn parameters_have_bounds() {
        let is_fine = |memory_kib, passes, lanes| {
            HashParameters { memory_kib, passes, lanes }.params().is_ok()
        };
        assert!(is_fine(8, 1, 1) && is_fine(1024 * 1024, 64, 16));
        assert!(!is_fine(7, 1, 1) && !is_fine(15, 1, 2) && !is_fine(1024 * 1024 + 1, 1, 1));
        assert!(!is_fine(8, 0, 1) && !is_fine(8, 65, 1));
        assert!(!is_fine(8, 1, 0) && !is_fine(1024, 1, 17));
        let nothing = HashParameters { memory_kib: 0, ..LOW };
        assert!(Hasher::new(nothing, NonZeroU16::MIN, 0).is_err());
    }

    /// What the future gives at once, if anything; then it is dropped.
    async fn poll_once<F: Future>(future: F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = ready(()) => None,
        }
    }

    #[tokio::test]
    async fn a_full_queue_refuses_at_once() {
        let hasher = hasher(LOW, 1, 1);
        let (finish, finished) = mpsc::channel::<()>();
        let running = hasher.run(move || Ok(finished.recv().is_ok()));
        let waiting = hasher.hash(password("grey heron"));
        let refused = async {
            let verdict = poll_once(hasher.verify(password("grey heron"), None)).await;
            finish.send(()).unwrap();
            verdict
        };
        let (running, waiting, refused) = tokio::join!(running, waiting, refused);
        assert!(running.unwrap() && waiting.is_ok());
        assert!(matches!(refused, Some(Err(HashError::Busy))));
        assert!(hasher.hash(password("grey heron")).await.is_ok(), "free again");
    }

    #[tokio::test]
    async fn a_job_whose_caller_left_still_counts() {
        let hasher = hasher(LOW, 1, 0);
        let (finish, finished) = mpsc::channel::<()>();
        let left = poll_once(hasher.run(move || Ok(finished.recv().is_ok()))).await;
        let refused = poll_once(hasher.hash(password("grey heron"))).await;
        finish.send(()).unwrap();
        assert!(left.is_none());
        assert!(matches!(refused, Some(Err(HashError::Busy))));
    }

    #[tokio::test]
    async fn no_more_hashes_run_at_once_than_there_are_threads() {
        let hasher = hasher(LOW, 2, 2);
        let (running, pair) = (Arc::new(AtomicUsize::new(0)), Arc::new(Barrier::new(2)));
        let job = || {
            let (running, pair) = (Arc::clone(&running), Arc::clone(&pair));
            hasher.run(move || {
                let count = running.fetch_add(1, Ordering::SeqCst) + 1;
                pair.wait();
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(count)
            })
        };
        let counts = tokio::try_join!(job(), job(), job(), job()).unwrap();
        assert!([counts.0, counts.1, counts.2, counts.3].iter().all(|count| *count <= 2));
    }

    #[tokio::test]
    async fn a_hash_does_not_print() {
        let stored = hasher(LOW, 1, 0).hash(password("grey heron")).await.unwrap();
        assert_eq!(format!("{stored:?}"), "PasswordHash(..)");
        let verdict = Verdict::Right { rehash: Some(stored) };
        assert_eq!(format!("{verdict:?}"), "Right { rehash: Some(PasswordHash(..)) }");
    }
}
