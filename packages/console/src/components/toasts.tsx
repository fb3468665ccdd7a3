import { useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { t } from '../text/index.ts';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly kind: 'good' | 'bad';
  readonly text: string;
  readonly action?: { readonly text: string; readonly onPick: () => void };
}

/** How long a message without an action stays, in milliseconds. */
const SHOWN_MS = 6_000;
/** How long a message with an action stays, in milliseconds. */
const SHOWN_WITH_ACTION_MS = 20_000;
/** Maximum number of messages at a time. The oldest is removed. */
const MAX_TOASTS = 4;

let toasts: readonly Toast[] = [];
let next = 1;
const NO_TOASTS: readonly Toast[] = [];
/** The places that can show the messages. The last one does: an open dialog covers the page and makes it inert. */
let toastHosts: readonly symbol[] = [];
const listeners = new Set<() => void>();

/** Replaces the list of messages and redraws it. */
function setToasts(list: readonly Toast[]): void {
  toasts = list;
  notifyListeners();
}

/** Replaces the list of hosts and redraws the messages. */
function setToastHosts(list: readonly symbol[]): void {
  toastHosts = list;
  notifyListeners();
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}

/** Shows a message. Bad news stays until it is closed. */
export function showToast(kind: Toast['kind'], text: string, action?: Toast['action']): void {
  const id = next++;
  const toast = { id, kind, text, ...(action === undefined ? {} : { action }) };
  setToasts([...toasts.filter((other) => other.text !== text), toast].slice(-MAX_TOASTS));
  if (kind === 'good') setTimeout(() => closeToast(id), action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS);
}

function closeToast(id: number): void {
  setToasts(toasts.filter((toast) => toast.id !== id));
}

/** The messages, on the page or in the dialog that was opened last. */
export function Toasts() {
  const [place] = useState(() => Symbol('place'));
  useLayoutEffect(() => {
    setToastHosts([...toastHosts, place]);
    return () => setToastHosts(toastHosts.filter((other) => other !== place));
  }, [place]);
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (toastHosts.at(-1) === place ? toasts : NO_TOASTS),
  );
  return (
    <section className="toasts" aria-label={t.messages} aria-live="polite">
      {shown.map(({ id, kind, text, action }) => (
        <div key={id} className={`notice ${kind}`}>
          <Icon name={kind === 'good' ? 'check' : 'alert'} />
          <div>{text}</div>
          {action === undefined ? null : (
            <button
              type="button"
              className="button quiet"
              onClick={() => {
                closeToast(id);
                action.onPick();
              }}
            >
              {action.text}
            </button>
          )}
          <button type="button" className="button quiet icon-only" aria-label={t.close} onClick={() => closeToast(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </section>
  );
}
