import { createHash, randomUUID } from 'node:crypto';
import { runInSlices } from '@cellwire/event-loop';
import { type Caller, tokenOf } from '../access/callers.ts';
import type { ServiceContext } from '../service/context.ts';
import { bodyHash } from '../service/idempotency.ts';
import type { Arguments } from './tool.ts';

/** The call that a confirmation permits. */
interface ConfirmationClaims {
  readonly id: string;
  readonly user: number;
  readonly token: number | null;
  readonly document: string;
  readonly tool: string;
  /** Hash of the arguments without `confirm` and `document`, which has a claim of its own. */
  readonly arguments: string;
  /** Hash of the preview and of the cells that it depends on. */
  readonly preview: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expiresAt: number;
}

interface ConfirmableCall {
  readonly caller: Caller;
  readonly document: string;
  readonly tool: string;
  readonly args: Arguments;
}

interface Confirmation {
  readonly confirm: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** Issues an encrypted value that permits a previewed call once, on any node. */
export async function issueConfirmation(
  { secrets, clock, config }: ServiceContext,
  call: ConfirmableCall,
  preview: string,
): Promise<Confirmation> {
  const expiresAt = clock() + config.mcp.confirmSeconds * 1000;
  const confirmed: ConfirmationClaims = { id: randomUUID(), ...(await claimsOf(call)), preview, expiresAt };
  const confirm = Buffer.from(secrets.seal(JSON.stringify(confirmed))).toString('base64url');
  return { confirm, expiresAt: new Date(expiresAt).toISOString() };
}

async function claimsOf({ caller, document, tool, args }: ConfirmableCall) {
  const { confirm: _confirm, document: _document, ...others } = args;
  return {
    user: caller.userId,
    token: tokenOf(caller).id,
    document,
    tool,
    arguments: await runInSlices(bodyHash(others)),
  };
}

/** Reads a confirmation. Returns a text with the reason if it does not permit this call. */
export async function readConfirmation(
  { secrets, clock }: ServiceContext,
  call: ConfirmableCall,
  given: string,
): Promise<ConfirmationClaims | string> {
  const confirmed = openClaims(secrets, given);
  if (confirmed === null) return 'The confirmation is not valid.';
  if (confirmed.expiresAt <= clock()) return 'The confirmation has expired.';
  const bound = await claimsOf(call);
  const isSame = (Object.keys(bound) as (keyof typeof bound)[]).every((name) => bound[name] === confirmed[name]);
  return isSame ? confirmed : 'The confirmation is for another call.';
}

const MAX_CONFIRM_LENGTH = 4_096;

function openClaims(secrets: ServiceContext['secrets'], given: string): ConfirmationClaims | null {
  if (given.length > MAX_CONFIRM_LENGTH) return null;
  try {
    const text = secrets.open(Buffer.from(given, 'base64url'));
    return text === null ? null : (JSON.parse(text) as ConfirmationClaims);
  } catch {
    return null;
  }
}

/** Hash of everything that a preview depends on. */
export function previewHash(parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(JSON.stringify(part) ?? '').update('\n');
  return hash.digest('base64url');
}
