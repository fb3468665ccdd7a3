import { generateKeyPair, randomBytes, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import {
  bumpAccessEpoch,
  googleKeyById,
  googleKeysAfter,
  insertGoogleKey,
  insertToken,
} from '@cellwire/store/accounts';
import { SCOPES, type TokenScope } from '../../access/scopes.ts';
import { generateToken, hashSecret } from '../../access/secrets.ts';
import { MAX_NAME_LENGTH } from '../../limits/http.ts';
import { buildAccountEntry, OPERATOR } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { formatOptionalTime, formatStoredTime } from '../iso-time.ts';
import { findUser } from '../operator/find-user.ts';
import { revokeToken } from '../operator/tokens.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';

type KeyContext = Pick<ServiceContext, 'database' | 'config' | 'clock'>;

interface KeyRequest {
  /** The key's user: id or e-mail address. */
  readonly user: string;
  readonly name?: string | undefined;
  readonly readOnly?: boolean | undefined;
}

/** A key file in Google's format. */
export interface KeyFile {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id: string;
  readonly auth_uri: string;
  readonly token_uri: string;
  readonly universe_domain: string;
}

interface CreatedKey {
  readonly id: number;
  readonly name: string;
  readonly user: string;
  readonly clientEmail: string;
  /** The only copy of the private key. */
  readonly keyFile: KeyFile;
}

const READ_ONLY: readonly TokenScope[] = ['sheets.read'];
const ALL: readonly TokenScope[] = ['sheets.read', 'sheets.write', 'documents.write'];
const PROJECT = 'cellwire';
const RSA_BITS = 2_048;

const generateKeyPairAsync = promisify(generateKeyPair);

/** Creates a service-account key that acts as a user. */
export async function createGoogleKey(
  { database, config, clock }: KeyContext,
  { user: text, name: givenName, readOnly = false }: KeyRequest,
): Promise<CreatedKey | Refusal> {
  const user = await findUser({ database }, text);
  if (isRefusal(user)) return user;
  const name = (givenName ?? 'service account').trim();
  if (name === '' || name.length > MAX_NAME_LENGTH) {
    return invalidRequest('name', `A key's name must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  const pair = await generateKeyPairAsync('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const scopes = SCOPES.filter((scope) => (readOnly ? READ_ONLY : ALL).includes(scope));
  const keyId = randomBytes(20).toString('hex');
  const clientEmail = `${toAccountName(name)}-${randomBytes(4).toString('hex')}@${PROJECT}.iam.gserviceaccount.com`;
  const clientId = Array.from({ length: 21 }, (_, i) => (i === 0 ? 1 : randomInt(10))).join('');
  const at = clock();
  // The token's secret is discarded: only requests signed with the key use the token.
  const token = {
    user_id: user.id,
    name,
    hash: hashSecret(generateToken()),
    scopes: JSON.stringify(scopes),
    documents: null,
    expires_at: null,
    created_at: at,
    prefix: 'key',
    input_locale: null,
    proposes: 0,
  };
  const entry = { action: 'token.create', workspaceId: user.workspace_id, at, subject: user, detail: name } as const;
  const outcome = await database.write({
    document: null,
    statements: [insertToken(token), buildAccountEntry(OPERATOR, entry)],
  });
  if (outcome.kind === 'conflict') throw new Error(`a key was not stored: ${outcome.conflict}`);
  const id = Number(outcome.results[0]?.rows[0]?.['id']);
  const row = {
    token_id: id,
    key_id: keyId,
    client_email: clientEmail,
    client_id: clientId,
    public_key: pair.publicKey,
  };
  await database.write({ document: null, statements: [insertGoogleKey(row), bumpAccessEpoch({})] });
  const origin = config.publicUrl ?? `http://${config.host}:${config.port}`;
  const keyFile: KeyFile = {
    type: 'service_account',
    project_id: PROJECT,
    private_key_id: keyId,
    private_key: pair.privateKey,
    client_email: clientEmail,
    client_id: clientId,
    auth_uri: 'https://accounts.google.com/o/oauth2/auth',
    token_uri: `${origin}/google/token`,
    universe_domain: 'googleapis.com',
  };
  return { id, name, user: user.email, clientEmail, keyFile };
}

/** The readable part of the key's address. */
function toAccountName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain.slice(0, 20) || 'key';
}

interface KeyRow {
  readonly id: number;
  readonly name: string;
  readonly user: string;
  readonly clientEmail: string;
  readonly readOnly: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  /** True: the stored row is damaged, and the key is refused; otherwise absent. */
  readonly damaged?: true;
}

/** All keys, ordered by id. */
export async function listGoogleKeys({ database }: KeyContext): Promise<readonly KeyRow[]> {
  const keys: KeyRow[] = [];
  for (let after = 0; ; ) {
    const rows = await database.read(googleKeysAfter({ after, limit: PAGE }));
    for (const row of rows) {
      keys.push({
        id: row.id,
        name: row.name,
        user: row.email,
        clientEmail: row.client_email,
        readOnly: !row.scopes.includes('sheets.write'),
        createdAt: formatStoredTime(row.created_at),
        lastUsedAt: formatOptionalTime(row.used_at),
        revokedAt: formatOptionalTime(row.revoked_at),
        ...(row.damage.length > 0 && { damaged: true }),
      });
    }
    if (rows.length < PAGE) return keys;
    after = rows.at(-1)?.id ?? 0;
  }
}

const PAGE = 1_000;

/** Revokes a key; its JWTs and access tokens fail from the next request on. */
export async function revokeGoogleKey(
  context: KeyContext,
  id: number,
): Promise<{ readonly id: number; readonly revokedAt: string } | Refusal> {
  const key = await context.database.readOne(googleKeyById({ id }));
  return key === null ? invalidRequest('id', `There is no key ${id}`) : revokeToken(context, id);
}
