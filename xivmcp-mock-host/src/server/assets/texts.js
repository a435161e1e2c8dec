// How things are written for the person: times, callers, states, JSON.

const two = (number) => String(number).padStart(2, "0");

// Local time of day; with the date if it is another day.
export function clock(ms) {
  const date = new Date(ms);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const today = new Date();
  return date.toDateString() === today.toDateString()
    ? time
    : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

// A span for reading: 340 ms, 4.2 s, 3 min 05 s, 2 h 10 min.
export function span(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${two(Math.floor(seconds % 60))} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

// What is left, as m:ss.
export function left(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

export const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

// `assistant`, `assistant:<client>` or `plugin:<owner>`.
export function caller(text) {
  if (text === "assistant") return "the assistant";
  if (text.startsWith("assistant:")) return `the assistant (${text.slice("assistant:".length)})`;
  if (text.startsWith("plugin:")) return `a job of ${text.slice("plugin:".length)}`;
  return text;
}

export const words = (id) => id.replaceAll("_", " ");

// JSON over several lines without reading its values: a number or an escape stays as the sender wrote it.
export function pretty(json) {
  let out = "";
  let depth = 0;
  let inText = false;
  const line = () => "\n" + "  ".repeat(depth);
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (inText) {
      out += char;
      if (char === "\\") out += json[(at += 1)] ?? "";
      else if (char === '"') inText = false;
    } else if (char === '"') {
      inText = true;
      out += char;
    } else if (char === "{" || char === "[") {
      const rest = /^\s*[}\]]/.exec(json.slice(at + 1, at + 200));
      if (rest) {
        out += char + rest[0].trim();
        at += rest[0].length;
      } else {
        depth += 1;
        out += char + line();
      }
    } else if (char === "}" || char === "]") {
      depth = Math.max(0, depth - 1);
      out += line() + char;
    } else if (char === ",") {
      out += char + line();
    } else if (char === ":") {
      out += ": ";
    } else if (!/\s/.test(char)) {
      out += char;
    }
  }
  return out;
}
