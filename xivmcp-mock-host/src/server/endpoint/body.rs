//! Bodies: a request's, read with limits, and a response's, whose end or loss is noticed.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use hyper::body::{Frame, SizeHint};
use tokio_util::sync::DropGuard;

/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(30);
/// So many bytes of a body that is too large are read and dropped; a larger one loses its connection.
const DROPPED_BYTES: usize = 64 * 1024 * 1024;

/// The whole body, at most `limit` bytes; or the answer to it.
pub(super) async fn whole(body: Body, limit: usize) -> Result<Bytes, Response> {
    match tokio::time::timeout(BODY_TIME, read(body, limit)).await {
        Ok(Ok(Some(bytes))) => Ok(bytes),
        Ok(Ok(None)) => {
            let reason = format!("the body has more than {limit} bytes\n");
            Err((StatusCode::PAYLOAD_TOO_LARGE, reason).into_response())
        }
        Ok(Err(_)) => Err((StatusCode::BAD_REQUEST, "the body broke off\n").into_response()),
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time\n").into_response()),
    }
}

/// The whole body; nothing if it is larger than `limit`.
async fn read(body: Body, limit: usize) -> Result<Option<Bytes>, axum::Error> {
    let announced = body.size_hint().lower();
    let mut pieces = body.into_data_stream();
    let mut first = Bytes::new();
    let mut whole = Vec::new();
    let mut length = 0_usize;
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        length = length.saturating_add(piece.len());
        if length > DROPPED_BYTES {
            break;
        }
        if length > limit {
            (first, whole) = (Bytes::new(), Vec::new());
        } else if first.is_empty() && whole.is_empty() {
            first = piece; // most bodies come in one piece: no copy
        } else {
            if whole.is_empty() {
                whole.reserve(usize::try_from(announced).unwrap_or(0).min(limit).max(2 * first.len()));
                whole.extend_from_slice(&std::mem::take(&mut first));
            }
            whole.extend_from_slice(&piece);
        }
    }
    if length > limit {
        return Ok(None);
    }
    Ok(Some(if whole.is_empty() { first } else { whole.into() }))
}

/// A response's body that ends something with it, however it ends.
pub(super) struct Guarded<B> {
    body: B,
    _guard: DropGuard,
}

impl<B> Guarded<B> {
    pub(super) fn new(body: B, guard: DropGuard) -> Self {
        Self { body, _guard: guard }
    }
}

impl<B: HttpBody + Unpin> HttpBody for Guarded<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
