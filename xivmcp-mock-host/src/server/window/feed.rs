//! The pages' feed: tells them what has changed, soon, and not more often than a person can see.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::Instant;

use super::snapshot::Snapshot;
use super::{Window, refusal};

/// A page gets no more than one message in this time.
const PACE: Duration = Duration::from_millis(80);
/// How long a feed may be silent, so that a page notices that the host has gone.
const SILENCE: Duration = Duration::from_secs(10);
/// Pages at a time.
const PAGES: usize = 24;

/// What was sent last, and who may listen.
pub(super) struct Feed {
    last: Mutex<(Option<u64>, Arc<Snapshot>)>,
    places: Arc<Semaphore>,
}

impl Default for Feed {
    fn default() -> Self {
        Self { last: Mutex::default(), places: Arc::new(Semaphore::new(PAGES)) }
    }
}

impl Feed {
    /// How things stand now. Made anew only if something has changed, for all pages together.
    pub(super) fn snapshot(&self, window: &Window) -> Arc<Snapshot> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Counted before looking: what changes meanwhile is looked at again.
        let count = *window.state.changes.watch().borrow();
        if last.0 != Some(count) {
            *last = (Some(count), Arc::new(Snapshot::take(window, &last.1)));
        }
        Arc::clone(&last.1)
    }
}

/// One page that listens.
struct Page {
    window: Window,
    changes: watch::Receiver<u64>,
    /// What it shows; nothing before the first message.
    sent: Option<Arc<Snapshot>>,
    not_before: Instant,
    _place: OwnedSemaphorePermit,
}

pub(super) async fn events(State(window): State<Window>) -> Response {
    let Ok(place) = Arc::clone(&window.feed.places).try_acquire_owned() else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "too many windows are open: close one");
    };
    let changes = window.state.changes.watch();
    let page = Page { window, changes, sent: None, not_before: Instant::now(), _place: place };
    let messages = futures::stream::unfold(page, async |mut page| {
        let event = page.next().await?;
        Some((Ok::<_, Infallible>(event), page))
    });
    Sse::new(messages).keep_alive(KeepAlive::new().interval(SILENCE)).into_response()
}

impl Page {
    /// The next message, when there is something to tell; nothing when the server has ended.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if self.sent.is_some() {
                self.changes.changed().await.ok()?;
                tokio::time::sleep_until(self.not_before).await;
            }
            self.changes.mark_unchanged();
            let snapshot = self.window.feed.snapshot(&self.window);
            let now = self.window.now();
            let event = match &self.sent {
                None => Some(Event::default().event("state").data(snapshot.whole(now))),
                Some(sent) => snapshot.since(sent, now).map(|patch| Event::default().event("patch").data(patch)),
            };
            self.sent = Some(snapshot);
            if let Some(event) = event {
                self.not_before = Instant::now() + PACE;
                return Some(event);
            }
        }
    }
}
