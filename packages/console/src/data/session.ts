import { useSyncExternalStore } from 'react';
import { call, type Failure, OWN, onSessionRefused, type Result } from './http.ts';
import type { Me } from './types.ts';

/** Who is signed in, as far as it is known. */
export type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'signedOut' }
  | { readonly kind: 'unreachable'; readonly failure: Failure }
  | { readonly kind: 'signedIn'; readonly me: Me };

let state: SessionState = { kind: 'asking' };
const listeners = new Set<() => void>();

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

export function useSession(): SessionState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Who is signed in; only below pages that are shown to nobody else. */
export function useMe(): Me {
  const session = useSession();
  if (session.kind !== 'signedIn') throw new Error('nobody is signed in');
  return session.me;
}

interface MeAnswer {
  readonly me: Me;
}

export async function lookWhoIsThere(): Promise<void> {
  const answer = await call<MeAnswer>('GET', `${OWN}/me`);
  if (answer.ok) become({ kind: 'signedIn', me: answer.value.me });
  else if (answer.status === 401) become({ kind: 'signedOut' });
  else become({ kind: 'unreachable', failure: answer });
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

export async function signOut(everywhere = false): Promise<void> {
  await call('DELETE', everywhere ? `${OWN}/sessions` : `${OWN}/session`);
  become({ kind: 'signedOut' });
}

function entered(answer: Result<MeAnswer>): Result<MeAnswer> {
  if (answer.ok) become({ kind: 'signedIn', me: answer.value.me });
  return answer;
}

onSessionRefused(() => {
  if (state.kind === 'signedIn') void lookWhoIsThere();
});
