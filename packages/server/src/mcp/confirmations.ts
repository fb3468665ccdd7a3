import { createHash, randomBytes } from 'node:crypto';
import { runInSlices } from '@cellwire/event-loop';
import { type Caller, describeToken } from '../access/callers.ts';
import type { ServiceContext } from '../service/context.ts';
import { hashBody } from '../service/idempotency.ts';
import type { ToolArguments } from './tool.ts';

/** The content of a confirmation. It is short, because models copy the value character by character. */
interface ConfirmationClaims {
  readonly id: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly expiresAt: number;
  /** Hash of the call that the confirmation permits. */
  readonly call: string;
  /** Hash of the preview and of the cells that it depends on. */
  readonly preview: string;
}

interface ConfirmableCall {
  readonly caller: Caller;
  readonly document: string;
  readonly tool: string;
  readonly args: ToolArguments;
}

interface Confirmation {
  readonly confirm: string;
  /** Time at which the confirmation expires, ISO 8601. */
  readonly expiresAt: string;
}

const ID_BYTES = 9;

/** Issues an encrypted value that permits a previewed call once, on any node. */
export async function issueConfirmation(
  { secrets, clock, config }: ServiceContext,
  call: ConfirmableCall,
  preview: string,
): Promise<Confirmation> {
  const expiresAt = clock() + config.mcp.confirmSeconds * 1000;
  const id = randomBytes(ID_BYTES).toString('base64url');
  const claims = [id, expiresAt.toString(36), await computeCallHash(call), preview].join('.');
  return {
    confirm: Buffer.from(secrets.seal(claims)).toString('base64url'),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

/** Hash of the token, the document, the tool and the arguments. A document may be named by its id or its title. */
async function computeCallHash({ caller, document, tool, args }: ConfirmableCall): Promise<string> {
  const { confirm: _confirm, document: _document, ...others } = args;
  return computeShortHash([
    caller.userId,
    describeToken(caller).id,
    document,
    tool,
    await runInSlices(hashBody(others)),
  ]);
}

/** Reads a confirmation. Returns a text with the reason if it does not permit this call. */
export async function readConfirmation(
  { secrets, clock }: ServiceContext,
  call: ConfirmableCall,
  sealed: string,
): Promise<ConfirmationClaims | string> {
  const confirmed = openClaims(secrets, sealed);
  if (confirmed === null) return 'The confirmation is not valid.';
  if (confirmed.expiresAt <= clock()) return 'The confirmation has expired.';
  return confirmed.call === (await computeCallHash(call)) ? confirmed : 'The confirmation is for another call.';
}

const MAX_CONFIRM_LENGTH = 4_096;

/** The content of a confirmation token; null if the service did not issue it. */
function openClaims(secrets: ServiceContext['secrets'], token: string): ConfirmationClaims | null {
  if (token.length > MAX_CONFIRM_LENGTH) return null;
  const text = openText(secrets, token);
  const [id, expiresAt, call, preview, ...others] = text?.split('.') ?? [];
  if (id === undefined || expiresAt === undefined || call === undefined || preview === undefined) return null;
  return others.length > 0 ? null : { id, expiresAt: Number.parseInt(expiresAt, 36), call, preview };
}

/** Null: this service did not seal the text. */
function openText(secrets: ServiceContext['secrets'], token: string): string | null {
  try {
    return secrets.open(Buffer.from(token, 'base64url'));
  } catch {
    return null;
  }
}

/** Hash of everything that a preview depends on. */
export function computePreviewHash(parts: readonly unknown[]): string {
  return computeShortHash(parts);
}

const HASH_BYTES = 12;

/** The first `HASH_BYTES` bytes of the SHA-256 of the parts, in base64url. */
function computeShortHash(parts: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(JSON.stringify(part) ?? '').update('\n');
  return hash.digest().subarray(0, HASH_BYTES).toString('base64url');
}
