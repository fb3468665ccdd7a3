import { useSyncExternalStore } from 'react';
import { CONSOLE_API, callApi, type Failure, type Result, setSessionRefusedHandler } from './http.ts';
import type { Me } from './types.ts';
import { clearUnsaved } from './unsaved.ts';

/** Whether a person is signed in to this browser. */
type SignInState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'signedOut' }
  | { readonly kind: 'unreachable'; readonly failure: Failure }
  | { readonly kind: 'signedIn'; readonly me: Me }
  /** The session has ended while the person was working. The page stays, covered, until the same person signs in. */
  | { readonly kind: 'ended'; readonly me: Me };

let state: SignInState = { kind: 'asking' };
const listeners = new Set<() => void>();

function setState(next: SignInState): void {
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the sign-in state, and renders again when it changes. */
export function useSession(): SignInState {
  return useSyncExternalStore(subscribe, () => state);
}

/** Returns the signed-in user. Only for pages that require a session. */
export function useMe(): Me {
  const session = useSession();
  const me = getSignedInUser(session);
  if (me === null) throw new Error('no user is signed in');
  return me;
}

/** Returns null if no user is signed in. */
export function getSignedInUser(session: SignInState): Me | null {
  return session.kind === 'signedIn' || session.kind === 'ended' ? session.me : null;
}

interface SignInResponse {
  readonly me: Me;
}

/** Tells the other tabs, which share the session cookie, about a sign-in or sign-out. */
const tabs = new BroadcastChannel('cellwire.session');
tabs.onmessage = () => {
  if (getSignedInUser(state) !== null) void loadSession();
};

/** Asks the service who is signed in. */
export async function loadSession(): Promise<void> {
  const answer = await callApi<SignInResponse>('GET', `${CONSOLE_API}/me`);
  const before = getSignedInUser(state);
  if (answer.ok) applySignIn(answer.value.me);
  else if (answer.status === 401) setState(before === null ? { kind: 'signedOut' } : { kind: 'ended', me: before });
  else if (before === null) setState({ kind: 'unreachable', failure: answer });
}

/**
 * Continues after a sign-in. The page stays as it is for the same person. It restarts for another person, who must not
 * see data of the first.
 */
function applySignIn(me: Me): void {
  const before = getSignedInUser(state);
  if (before !== null && before.user.id !== me.user.id) return restartPage();
  const isBack = state.kind === 'ended' && me.mustChangePassword;
  setState({ kind: isBack ? 'ended' : 'signedIn', me });
}

/** Reloads the page, which clears all data in it. */
function restartPage(): void {
  setState({ kind: 'asking' });
  clearUnsaved();
  location.replace('/');
}

export async function signIn(email: string, password: string): Promise<Result<SignInResponse>> {
  return applySignInAnswer(
    await callApi<SignInResponse>('POST', `${CONSOLE_API}/session`, { body: { email, password } }),
  );
}

export async function changePassword(current: string, password: string): Promise<Result<SignInResponse>> {
  return applySignInAnswer(
    await callApi<SignInResponse>('PUT', `${CONSOLE_API}/password`, { body: { current, password } }),
  );
}

export async function acceptInvitation(body: {
  readonly invitation: string;
  readonly name: string;
  readonly password: string;
}): Promise<Result<SignInResponse>> {
  return applySignInAnswer(await callApi<SignInResponse>('POST', `${CONSOLE_API}/invitations/accept`, { body }));
}

/** Resolves to null on success, and the page restarts; else to the failure. */
export async function signOut(everywhere = false): Promise<Failure | null> {
  const answer = await callApi('DELETE', everywhere ? `${CONSOLE_API}/sessions` : `${CONSOLE_API}/session`);
  if (!answer.ok && answer.status !== 401) return answer;
  tabs.postMessage('out');
  restartPage();
  return null;
}

/** Discards the work that waits for the person whose session has ended. */
export function discardSession(): void {
  restartPage();
}

/** Applies a successful sign-in, and tells the other tabs. Returns the answer. */
function applySignInAnswer(answer: Result<SignInResponse>): Result<SignInResponse> {
  if (!answer.ok) return answer;
  tabs.postMessage('in');
  applySignIn(answer.value.me);
  return answer;
}

setSessionRefusedHandler(async () => {
  // Another tab may have signed in again in the meantime.
  if (state.kind === 'signedIn') await loadSession();
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
