// The link to the host: what it sent last, whether it is there, and how something is asked of it.
//
// The host sends sections (plugins, questions, jobs, …), each as a whole, when they have changed. A section that did not
// change keeps its identity, so views can tell.

const state = {
  sections: {},
  // "connecting", "live", "lost" (tries again by itself) or "denied" (this browser has no right to the page).
  link: "connecting",
  // What the host's clock is ahead of this browser's, in milliseconds.
  skew: 0,
  // The last thing that did not work, as a sentence.
  notice: null,
};
const listeners = new Set();
let source = null;

export const current = () => state;
export const hostNow = () => Date.now() + state.skew;

export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed() {
  for (const listener of listeners) listener();
}

export function notify(notice) {
  state.notice = notice;
  changed();
}

function received(message, whole) {
  const { now, sections } = JSON.parse(message.data);
  state.skew = now - Date.now();
  state.sections = whole ? sections : { ...state.sections, ...sections };
  state.link = "live";
  changed();
}

export function connect() {
  source?.close();
  source = new EventSource("api/events");
  source.addEventListener("state", (message) => received(message, true));
  source.addEventListener("patch", (message) => received(message, false));
  source.onerror = async () => {
    const closed = source.readyState === EventSource.CLOSED;
    state.link = "lost";
    changed();
    if (!closed) return; // the browser tries again by itself
    try {
      const answer = await fetch("api/state", { cache: "no-store" });
      if (answer.status === 401 || answer.status === 403) {
        state.link = "denied";
        changed();
        return;
      }
    } catch {
      // Not there. Try again.
    }
    setTimeout(connect, 2000);
  };
}

// Asks the host to do something. Gives its answer, or nothing if it refused; then the page shows why.
export async function act(what, details = {}) {
  try {
    const answer = await fetch("api/act", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ do: what, ...details }),
    });
    const text = await answer.text();
    let reply = null;
    try {
      reply = JSON.parse(text);
    } catch {
      // Not from the page's own part of the host.
    }
    if (answer.ok && reply?.ok) {
      if (state.notice) notify(null);
      return reply;
    }
    notify(reply?.error ?? (text.trim() || `The host answered ${answer.status}.`));
  } catch {
    notify("The host cannot be reached. It is tried again by itself.");
  }
  return null;
}
