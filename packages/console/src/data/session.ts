import { useSyncExternalStore } from 'react';
import { call, type Failure, OWN, onSessionRefused, type Result } from './http.ts';
import type { Me } from './types.ts';
import { forgetUnsaved } from './unsaved.ts';

/** Who is signed in, as far as it is known. */
export type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'signedOut' }
  | { readonly kind: 'unreachable'; readonly failure: Failure }
  | { readonly kind: 'signedIn'; readonly me: Me }
  /** The session of somebody who is in the middle of something has ended: it waits, covered, until they are back. */
  | { readonly kind: 'ended'; readonly me: Me };

let state: SessionState = { kind: 'asking' };
const listeners = new Set<() => void>();

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): SessionState {
  return useSyncExternalStore(subscribe, () => state);
}

/** Whose page it is; only below pages that are shown to nobody else. */
export function useMe(): Me {
  const session = useSession();
  const me = personOf(session);
  if (me === null) throw new Error('nobody is signed in');
  return me;
}

/** Null: nobody's. */
export function personOf(session: SessionState): Me | null {
  return session.kind === 'signedIn' || session.kind === 'ended' ? session.me : null;
}

interface MeAnswer {
  readonly me: Me;
}

/** Tells the other tabs of this browser, which have the same cookie, that somebody came or went. */
const tabs = new BroadcastChannel('cellwire.session');
tabs.onmessage = () => {
  if (personOf(state) !== null) void lookWhoIsThere();
};

export async function lookWhoIsThere(): Promise<void> {
  const answer = await call<MeAnswer>('GET', `${OWN}/me`);
  const before = personOf(state);
  if (answer.ok) enter(answer.value.me);
  else if (answer.status === 401) become(before === null ? { kind: 'signedOut' } : { kind: 'ended', me: before });
  else if (before === null) become({ kind: 'unreachable', failure: answer });
}

/** Who comes back goes on where they were. What was one person's is not for the next: that one begins anew. */
function enter(me: Me): void {
  const before = personOf(state);
  if (before !== null && before.user.id !== me.user.id) return beginAnew();
  const isBack = state.kind === 'ended' && me.mustChangePassword;
  become({ kind: isBack ? 'ended' : 'signedIn', me });
}

/** Forgets everything that this page holds. */
function beginAnew(): void {
  become({ kind: 'asking' });
  forgetUnsaved();
  location.replace('/');
}

export async function signIn(email: string, password: string): Promise<Result<MeAnswer>> {
  return entered(await call<MeAnswer>('POST', `${OWN}/session`, { body: { email, password } }));
}

export async function changePassword(current: string, password: string): Promise<Result<MeAnswer>> {
  return entered(await call<MeAnswer>('PUT', `${OWN}/password`, { body: { current, password } }));
}

export async function acceptInvitation(body: {
  readonly invitation: string;
  readonly name: string;
  readonly password: string;
}): Promise<Result<MeAnswer>> {
  return entered(await call<MeAnswer>('POST', `${OWN}/invitations/accept`, { body }));
}

/** Null: it is done, and the page begins anew. Who could not be signed out is told so. */
export async function signOut(everywhere = false): Promise<Failure | null> {
  const answer = await call('DELETE', everywhere ? `${OWN}/sessions` : `${OWN}/session`);
  if (!answer.ok && answer.status !== 401) return answer;
  tabs.postMessage('out');
  beginAnew();
  return null;
}

/** Gives up what waits for the person whose session has ended. */
export function giveUp(): void {
  beginAnew();
}

function entered(answer: Result<MeAnswer>): Result<MeAnswer> {
  if (!answer.ok) return answer;
  tabs.postMessage('in');
  enter(answer.value.me);
  return answer;
}

onSessionRefused(async () => {
  // Another tab may have signed in again.
  if (state.kind === 'signedIn') await lookWhoIsThere();
  return new Promise((resolve) => {
    const look = () => {
      if (state.kind === 'ended') return;
      stop();
      resolve(state.kind === 'signedIn');
    };
    const stop = subscribe(look);
    look();
  });
});
