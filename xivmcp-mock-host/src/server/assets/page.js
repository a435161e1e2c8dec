// What every view is written with: `html` makes elements (texts in it are texts, never markup), the rest are hooks.
import { h, render } from "./vendor/preact.js";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { render, useEffect, useId, useLayoutEffect, useRef, useState };

// Class names from a list in which some are false.
export const classes = (...names) => names.filter(Boolean).join(" ");

// Keeps a choice of the person (an open card, a filter) in this browser. Private windows may refuse: then it is forgotten.
export function useKept(key, first) {
  const name = "xivmcp." + key;
  const [value, set] = useState(() => {
    try {
      const kept = localStorage.getItem(name);
      return kept === null ? first : JSON.parse(kept);
    } catch {
      return first;
    }
  });
  const keep = (next) => {
    set(next);
    try {
      localStorage.setItem(name, JSON.stringify(next));
    } catch {
      // Nothing is lost but the memory of it.
    }
  };
  return [value, keep];
}

// Renders again every `every` milliseconds, for what shows how much time is left.
export function useTick(every, on = true) {
  const [, set] = useState(0);
  useEffect(() => {
    if (!on) return undefined;
    const timer = setInterval(() => set((count) => count + 1), every);
    return () => clearInterval(timer);
  }, [every, on]);
}
