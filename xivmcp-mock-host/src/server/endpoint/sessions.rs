//! Sessions: rmcp's own, except that calls of tools are answered right here.
//!
//! rmcp hands a session's request to the session's task, which hands it to a task of its own, whose answer goes back the
//! same way, and keeps a minute's answers for apps that resume a stream. A call of a tool needs none of that: its answer
//! belongs to one response, and an app that loses the response has cancelled the call (R-CALL-9). So the call runs inside
//! the response's stream, where hanging up drops it; `notifications/cancelled` finds it by its request's id.
//!
//! rmcp forgets a session by the messages that its task gets, and would forget one that only calls tools. Here a session
//! is kept while it has a call or a stream open, and for [`KEPT`] after the last thing that was heard of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::http::request::Parts;
use futures::stream::{self, Stream, StreamExt};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, JsonRpcRequest, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::WorkerTransport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::calls::Wanted;
use crate::server::ServerState;

/// A session with nothing open that nothing is heard of for so long is forgotten; its app gets a 404 and initializes again.
const KEPT: Duration = Duration::from_secs(30 * 60);
/// How often it is looked who is forgotten.
const LOOK: Duration = Duration::from_secs(60);

/// All sessions.
pub(super) struct Sessions {
    rmcp: LocalSessionManager,
    state: ServerState,
    open: Mutex<HashMap<SessionId, Arc<Session>>>,
}

/// One session.
struct Session {
    /// What the app calls itself.
    app: OnceLock<String>,
    /// When something was last heard of it, or ended in it.
    heard: Mutex<Instant>,
    /// How many calls and streams are open.
    open: AtomicUsize,
    calls: Mutex<Vec<Arc<Running>>>,
    /// The session has ended.
    end: CancellationToken,
}

/// A call that runs.
struct Running {
    id: RequestId,
    cancelled: CancellationToken,
}

/// Something in a session that keeps it: it is not silent while this lives.
struct Open(Arc<Session>);

/// A call on its session's list, until this is dropped.
struct Listed {
    session: Open,
    call: Arc<Running>,
}

impl Sessions {
    /// No session yet. They are forgotten until `stop`.
    pub(super) fn start(state: ServerState, stop: &CancellationToken) -> Arc<Self> {
        let mut rmcp = LocalSessionManager::default();
        rmcp.session_config.keep_alive = None;
        let sessions = Arc::new(Self { rmcp, state, open: Mutex::default() });
        let (weak, stop) = (Arc::downgrade(&sessions), stop.clone());
        tokio::spawn(async move {
            while stop.run_until_cancelled(tokio::time::sleep(LOOK)).await.is_some() {
                let Some(sessions) = weak.upgrade() else { return };
                for id in sessions.silent() {
                    let _ = sessions.close_session(&id).await; // fails only if it has just ended
                }
            }
        });
        sessions
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Those to be forgotten.
    fn silent(&self) -> Vec<SessionId> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let silent = open.iter().filter(|(_, session)| session.is_silent());
        silent.map(|(id, _)| SessionId::clone(id)).collect()
    }

    /// The session, of which something has just been heard.
    fn heard(&self, id: &str) -> Option<Arc<Session>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let session = open.get(id)?;
        session.heard_now();
        Some(Arc::clone(session))
    }

    /// Calls a tool in a session; nothing if the session is unknown. The answer is nothing if the app cancels: MCP wants
    /// none then.
    pub(super) fn call(
        &self,
        session: &str,
        id: RequestId,
        wanted: Wanted,
    ) -> Option<impl Future<Output = Option<ServerJsonRpcMessage>> + Send + Sync + 'static + use<>> {
        let listed = Listed::new(self.heard(session)?, id);
        let state = self.state.clone();
        Some(async move {
            let Listed { session, call } = &listed;
            let app = session.0.app.get().map(String::as_str);
            let answer = wanted.call(&state, app, &call.cancelled).await;
            if call.cancelled.is_cancelled() {
                return None;
            }
            Some(match answer {
                Ok(result) => ServerJsonRpcMessage::response(ServerResult::CallToolResult(result), call.id.clone()),
                Err(error) => ServerJsonRpcMessage::error(error, Some(call.id.clone())),
            })
        })
    }
}

impl Session {
    fn new() -> Self {
        Self {
            app: OnceLock::new(),
            heard: Mutex::new(Instant::now()),
            open: AtomicUsize::new(0),
            calls: Mutex::default(),
            end: CancellationToken::new(),
        }
    }

    fn heard_now(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn is_silent(&self) -> bool {
        self.open.load(Ordering::Acquire) == 0
            && self.heard.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= KEPT
    }

    fn cancel(&self, id: &RequestId) {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().filter(|call| call.id == *id).for_each(|call| call.cancelled.cancel());
    }
}

impl Open {
    fn new(session: Arc<Session>) -> Self {
        session.open.fetch_add(1, Ordering::Relaxed);
        Self(session)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // In this order: whoever sees nothing open sees the new time.
        self.0.heard_now();
        self.0.open.fetch_sub(1, Ordering::Release);
    }
}

impl Listed {
    fn new(session: Arc<Session>, id: RequestId) -> Self {
        let call = Arc::new(Running { id, cancelled: session.end.child_token() });
        session.calls.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&call));
        Self { session: Open::new(session), call }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut calls = self.session.0.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|call| !Arc::ptr_eq(call, &self.call));
    }
}

/// The stream, which keeps its session.
fn keeping<S: Stream>(session: Option<Arc<Session>>, stream: S) -> impl Stream<Item = S::Item> {
    let open = session.map(Open::new);
    stream.inspect(move |_| _ = &open)
}

/// The app's name, if this is its first message.
fn introduces(message: &ClientJsonRpcMessage) -> Option<&str> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::InitializeRequest(initialize) = &request.request else { return None };
    Some(&initialize.params.client_info.name)
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.rmcp.create_session().await?;
        let session = Arc::new(Session::new());
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(SessionId::clone(&id), session);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        if let (Some(session), Some(name)) = (self.heard(id), introduces(&message)) {
            let _ = session.app.set(name.to_owned());
        }
        self.rmcp.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.rmcp.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        let session = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(session) = session {
            session.end.cancel();
        }
        self.rmcp.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        match message {
            JsonRpcMessage::Request(JsonRpcRequest {
                id: request,
                request: ClientRequest::CallToolRequest(call),
                ..
            }) => {
                let wanted = Wanted::of_rmcp(call.params, call.extensions.get::<Parts>());
                let answer = self.call(id, request, wanted);
                let answer = answer.ok_or_else(|| LocalSessionManagerError::SessionNotFound(SessionId::clone(id)))?;
                let message = |answer: Option<_>| std::future::ready(answer.map(ServerSseMessage::from_message));
                Ok(stream::once(answer).filter_map(message).right_stream())
            }
            other => {
                let _ = self.heard(id);
                Ok(self.rmcp.create_stream(id, other).await?.left_stream())
            }
        }
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        let session = self.heard(id);
        if let (Some(session), JsonRpcMessage::Notification(notification)) = (session, &message)
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(call) = &cancelled.params.request_id
        {
            session.cancel(call);
        }
        self.rmcp.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let session = self.heard(id);
        let stream = self.rmcp.create_standalone_stream(id).await?;
        Ok(keeping(session, stream))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let session = self.heard(id);
        let stream = self.rmcp.resume(id, last_event_id).await?;
        Ok(keeping(session, stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MockHost;
    use crate::server::Hosted;
    use crate::server::changes::Changes;
    use crate::server::token::Token;

    fn sessions() -> Arc<Sessions> {
        let host = Arc::new(Hosted::new(Arc::new(MockHost::live())));
        let window_token = Arc::new(Token::known("window"));
        let state = ServerState { host, mcp_token: None, window_token, changes: Arc::new(Changes::new()) };
        Sessions::start(state, &CancellationToken::new())
    }

    async fn pass(time: Duration) {
        tokio::time::sleep(time).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_is_forgotten_when_it_is_silent_and_has_nothing_open() {
        let sessions = sessions();
        let (silent, _) = sessions.create_session().await.unwrap();
        let (busy, _) = sessions.create_session().await.unwrap();
        let call = sessions.call(&busy, RequestId::Number(1), Wanted::new("wait".to_owned(), None)).unwrap();
        pass(KEPT / 2).await;
        assert!(sessions.heard(&silent).is_some());
        pass(KEPT - LOOK).await;
        assert!(sessions.has_session(&silent).await.unwrap(), "it was heard of after the half");
        pass(2 * LOOK).await;
        assert!(!sessions.has_session(&silent).await.unwrap());
        assert!(sessions.heard(&silent).is_none());
        assert!(sessions.has_session(&busy).await.unwrap(), "its call is open");

        drop(call);
        pass(KEPT - LOOK).await;
        assert!(sessions.has_session(&busy).await.unwrap(), "its call was open until now");
        pass(2 * LOOK).await;
        assert_eq!(sessions.count(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_has_a_stream_open_is_kept() {
        let sessions = sessions();
        let (id, _) = sessions.create_session().await.unwrap();
        let stream = keeping(sessions.heard(&id), stream::pending::<()>());
        pass(2 * KEPT).await;
        assert_eq!(sessions.count(), 1);
        drop(stream);
        pass(KEPT + 2 * LOOK).await;
        assert_eq!(sessions.count(), 0);
    }
}
