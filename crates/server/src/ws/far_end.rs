//! For tests: a connection and the other end of its line, with small buffers between them.

use std::io::{ErrorKind, Read as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use domain::{PlayerId, Role, SessionId};
use identity::Claims;
use play::room::MemberId;
use tokio::net::TcpSocket;

use super::Connection;

/// Of each buffer on the line; the system takes more, but nothing near to what is held at most.
const BUFFER_BYTES: u32 = 1024;
/// What was sent on this machine is there much sooner.
const PATIENCE: Duration = Duration::from_mins(2);

/// Somebody at the other end.
pub(crate) struct FarEnd(TcpStream);

/// A connection, and who is at its other end.
pub(crate) async fn line(id: MemberId) -> (Arc<Connection>, FarEnd) {
    let near = TcpSocket::new_v4().unwrap();
    near.set_send_buffer_size(BUFFER_BYTES).unwrap();
    near.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let listener = near.listen(1).unwrap();
    let far = TcpSocket::new_v4().unwrap();
    far.set_recv_buffer_size(BUFFER_BYTES).unwrap();
    let address = listener.local_addr().unwrap();
    let (far, near) = tokio::join!(far.connect(address), listener.accept());
    let far = far.unwrap().into_std().unwrap();
    let (near, _) = near.unwrap();
    near.writable().await.unwrap();
    let claims = Claims {
        session: SessionId::new(1, 1),
        player: PlayerId::new(1, 1),
        role: Role::Guest,
        generation: 1,
        issued_ms: 0,
        expires_ms: u64::MAX,
    };
    (Arc::new(Connection::new(id, claims, near, None, 0)), FarEnd(far))
}

impl FarEnd {
    /// Just this has come since the last time.
    #[track_caller]
    pub(crate) fn check_heard(&mut self, expected: &[u8]) {
        self.0.set_nonblocking(false).unwrap();
        self.0.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut heard = vec![0; expected.len()];
        self.0.read_exact(&mut heard).unwrap();
        assert_eq!(String::from_utf8_lossy(&heard), String::from_utf8_lossy(expected));
        self.0.set_nonblocking(true).unwrap();
        let more = self.0.read(&mut [0; 64]);
        let is_all = more.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        assert!(is_all, "more has come: {more:?}");
    }

    /// Just this comes, while the connection goes on to write what waits.
    pub(crate) async fn check_hears(&mut self, connection: &Connection, expected: &[u8]) {
        self.0.set_nonblocking(true).unwrap();
        let mut heard = Vec::new();
        while heard.len() < expected.len() {
            connection.flush().unwrap();
            let mut bytes = [0; 4096];
            match self.0.read(&mut bytes) {
                Ok(count) => heard.extend_from_slice(&bytes[..count]),
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(heard, expected);
    }
}
