//! Who is told that the list of tools has changed. Apps of the older lifecycle are told without asking: their peers are
//! kept here as long as their session lives. Those of the newer one ask with a request, which waits in `handler`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long one app may take to take the notification.
const PATIENCE: Duration = Duration::from_secs(5);

/// The peers of initialized sessions.
#[derive(Debug, Default)]
pub(super) struct Peers {
    peers: Mutex<Vec<Peer<RoleServer>>>,
}

impl Peers {
    /// Tells them whenever `tools` changes, until `stop`.
    pub(super) fn start(mut tools: watch::Receiver<u64>, stop: &CancellationToken) -> Arc<Self> {
        let peers = Arc::<Self>::default();
        let (weak, stop) = (Arc::downgrade(&peers), stop.clone());
        tokio::spawn(async move {
            while stop.run_until_cancelled(tools.changed()).await.is_some_and(|changed| changed.is_ok()) {
                let Some(peers) = weak.upgrade() else { return };
                for peer in peers.living() {
                    // Each on its own: one that does not read holds up no other.
                    tokio::spawn(async move {
                        let _ = tokio::time::timeout(PATIENCE, peer.notify_tool_list_changed()).await;
                    });
                }
            }
        });
        peers
    }

    /// Tells this one from now on.
    pub(super) fn add(&self, peer: Peer<RoleServer>) {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|peer| !peer.is_transport_closed());
        peers.push(peer);
    }

    fn living(&self) -> Vec<Peer<RoleServer>> {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|peer| !peer.is_transport_closed());
        peers.clone()
    }
}
