import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  assignWorkspaceOwners,
  bumpAccessEpoch,
  emailKey,
  insertUserOfNewWorkspace,
  insertWorkspace,
} from '@cellwire/store/accounts';
import { createEmptyDatabase } from '../../../store/test/empty-database.ts';
import { instrumentDatabase } from '../../../store/test/instrumented-database.ts';
import { databaseUrlFor } from '../../../store/test/postgres/folder-databases.ts';
import { Passwords } from '../../src/access/passwords.ts';
import { SCOPES, type TokenScope } from '../../src/access/scopes.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/compose/server.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { Config, Plan, PlanName } from '../../src/config/types.ts';
import { createDocument, shareDocument } from '../../src/service/operator/documents.ts';
import { protectSheet } from '../../src/service/operator/sheets.ts';
import { createToken } from '../../src/service/operator/tokens.ts';
import { isRefusal, type Refusal, refusalText } from '../../src/service/refusal.ts';
import { inTurns } from '../nodes/in-turns.ts';
import { type AnswerHeaders, send } from './send.ts';

/** What the API answered. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Json;
}

/** Parsed JSON that a test looks into; where the shape is another, the test fails. */
export interface Json {
  readonly [name: string]: Json;
  readonly [index: number]: Json;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

export interface WriteOptions {
  readonly key?: string;
  readonly mode?: 'RAW' | 'USER_ENTERED';
  readonly major?: 'ROWS' | 'COLUMNS';
}

type Matrix = readonly (readonly unknown[])[];

/** The API as one token sees it, at one document. */
export class Api {
  readonly base: string;
  readonly token: string;
  readonly document: string;

  constructor(base: string, token: string, document: string) {
    this.base = base;
    this.token = token;
    this.document = document;
  }

  at(document: string): Api {
    return new Api(this.base, this.token, document);
  }

  /** `path` begins after `/api/v1`. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const hasBody = options.body !== undefined || options.raw !== undefined;
    const { status, headers, text } = await send(`${this.base}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
        ...options.headers,
      },
      ...(hasBody ? { body: options.raw ?? JSON.stringify(options.body) } : {}),
    });
    return { status, headers, body: JSON.parse(text === '' ? 'null' : text) };
  }

  /** `path` begins after the document's own. */
  here(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.request(method, `/documents/${this.document}${path}`, options);
  }

  get(range: string, query: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const search = new URLSearchParams(query).toString();
    return this.here('GET', `/values/${encodeURIComponent(range)}${search === '' ? '' : `?${search}`}`);
  }

  /** The cells of a range that must be readable. */
  async cells(range: string): Promise<Json> {
    const answer = await this.get(range);
    if (answer.status !== 200) throw new Error(`${range}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body['values']['cells'];
  }

  /** One cell, null where it is empty. */
  async cell(address: string): Promise<Json> {
    return (await this.cells(address))[0][0];
  }

  batchGet(ranges: readonly string[], query: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const search = new URLSearchParams([...ranges.map((range) => ['ranges[]', range]), ...Object.entries(query)]);
    return this.here('GET', `/values/batchGet?${search}`);
  }

  put(range: string, values: Matrix, { key, mode, major }: WriteOptions = {}): Promise<Answer> {
    const body = { values, ...optionsOf(mode, major) };
    return this.here('PUT', `/values/${encodeURIComponent(range)}`, { body, ...(key === undefined ? {} : { key }) });
  }

  batchUpdate(data: readonly { range: string; values: Matrix }[], options: WriteOptions = {}): Promise<Answer> {
    return this.post('/values/batchUpdate', { data, ...optionsOf(options.mode, options.major) }, options.key);
  }

  append(range: string, values: Matrix, options: WriteOptions = {}): Promise<Answer> {
    return this.post('/values/append', { range, values, ...optionsOf(options.mode, options.major) }, options.key);
  }

  clear(range: string, key?: string): Promise<Answer> {
    return this.post('/values/clear', { range }, key);
  }

  sheets(): Promise<Answer> {
    return this.here('GET', '/sheets');
  }

  addSheet(name?: string, key?: string): Promise<Answer> {
    return this.post('/sheets', name === undefined ? {} : { name }, key);
  }

  renameSheet(sheet: string, name: string, key?: string): Promise<Answer> {
    const options = { body: { name }, ...(key === undefined ? {} : { key }) };
    return this.here('PATCH', `/sheets/${encodeURIComponent(sheet)}`, options);
  }

  deleteSheet(sheet: string, key?: string): Promise<Answer> {
    return this.here('DELETE', `/sheets/${encodeURIComponent(sheet)}`, key === undefined ? {} : { key });
  }

  post(path: string, body: unknown, key?: string): Promise<Answer> {
    return this.here('POST', path, { body, ...(key === undefined ? {} : { key }) });
  }

  undo(revision: number | string, body?: { readonly force: boolean }, key?: string): Promise<Answer> {
    return this.here('POST', `/revisions/${revision}/undo`, {
      body: body ?? {},
      ...(key === undefined ? {} : { key }),
    });
  }

  restore(revision: number | string, key?: string): Promise<Answer> {
    return this.here('POST', `/revisions/${revision}/restore`, key === undefined ? {} : { key });
  }

  async revisions(query = ''): Promise<Json> {
    return (await this.here('GET', `/revisions${query}`)).body['revisions'];
  }

  async audit(query = ''): Promise<Json> {
    return (await this.here('GET', `/audit${query}`)).body['audit'];
  }

  async revision(): Promise<string> {
    return String((await this.here('GET', '')).body['document']['revisionId']);
  }
}

function optionsOf(mode?: string, major?: string): object {
  return {
    ...(mode === undefined ? {} : { valueInputOption: mode }),
    ...(major === undefined ? {} : { majorDimension: major }),
  };
}

export interface Settings extends ServerOptions {
  readonly limits?: Partial<Config['limits']>;
  readonly plans?: Partial<Record<PlanName, Partial<Plan>>>;
  readonly notifications?: Partial<Config['notifications']>;
  readonly idempotency?: Config['idempotency'];
  readonly history?: Config['history'];
  readonly trash?: Config['trash'];
  readonly invitations?: Config['invitations'];
  readonly linkSharing?: boolean;
  readonly proposals?: Config['proposals'];
  readonly mcp?: Partial<Config['mcp']>;
  readonly timeZone?: string;
  readonly workers?: number;
  readonly locale?: Config['locale'];
  readonly publicUrl?: string;
  readonly allowedOrigins?: readonly string[];
  /** PostgreSQL, or (null) the embedded database, whatever the tests run on. */
  readonly databaseUrl?: string | null;
  /** One node, also where two answer in turns: what is asked is what each has for itself, as connections and figures. */
  readonly oneNode?: boolean;
}

export interface DocumentOptions {
  readonly title?: string;
  readonly locale?: string;
  readonly format?: string;
  readonly type?: string;
}

export interface BookOptions extends DocumentOptions {
  readonly plan?: PlanName;
}

/** A running service with its users and documents, as an operator sets them up. */
export class World {
  readonly server: RunningServer;
  private readonly folder: string;
  private readonly owners = new Map<PlanName, { readonly id: string; readonly token: string }>();
  private readonly around: ServerOptions;
  private readonly hasOneNode: boolean;
  private users = 0;

  constructor(server: RunningServer, folder: string, around: ServerOptions, hasOneNode: boolean) {
    this.server = server;
    this.folder = folder;
    this.around = around;
    this.hasOneNode = hasOneNode;
  }

  /** Someone with a workspace of their own, and without a password: hashing one is slow on purpose. */
  async user(plan: PlanName = 'enterprise'): Promise<{ readonly id: string; readonly name: string }> {
    this.users++;
    const name = `User ${this.users}`;
    const email = `user${this.users}@example.org`;
    const { database, clock } = this.server.service.context;
    const user = { email, email_key: emailKey(email), name, password_hash: '', password_once: 0, created_at: clock() };
    const workspace = insertWorkspace({ name, plan, created_at: user.created_at });
    const outcome = await database.write({
      document: null,
      statements: [workspace, insertUserOfNewWorkspace(user), assignWorkspaceOwners({}), bumpAccessEpoch({})],
    });
    if (outcome.kind === 'conflict') throw new Error(`${email} is taken`);
    return { id: String(outcome.results[1]?.rows[0]?.['id']), name };
  }

  async token(
    user: string,
    scopes: readonly TokenScope[] = ALL_SCOPES,
    documents?: readonly string[],
  ): Promise<string> {
    const given_ = { user, name: 'test token', scopes, documents };
    return given(await createToken(this.server.service.context, given_)).token;
  }

  async document(owner: string, options: DocumentOptions = {}): Promise<string> {
    const input = { owner, title: 'Book', locale: 'en-US', ...options };
    return given(await createDocument(this.server.service.context, input)).id;
  }

  async share(document: string, user: string, role: string): Promise<void> {
    given(await shareDocument(this.server.service.context, { document, user, role }));
  }

  async protect(
    document: string,
    sheet: string,
    { hideValues = false, lock = false, allow = [] as readonly string[] },
  ): Promise<void> {
    given(await protectSheet(this.server.service.context, { document, sheet, hideValues, lock, allow }));
  }

  api(token: string, document = ''): Api {
    return new Api(this.server.address, token, document);
  }

  /** A new document of this world's own user on a plan, with a token for everything but the agent's. */
  async book({ plan = 'enterprise', ...options }: BookOptions = {}): Promise<Api> {
    let owner = this.owners.get(plan);
    if (owner === undefined) {
      const { id } = await this.user(plan);
      owner = { id, token: await this.token(id) };
      this.owners.set(plan, owner);
    }
    return this.api(owner.token, await this.document(owner.id, options));
  }

  /** Another user's token for a document that it has a role in. */
  async member(document: string, role: string, scopes: readonly TokenScope[] = ALL_SCOPES, plan?: PlanName) {
    const user = await this.user(plan);
    await this.share(document, user.id, role);
    return { id: user.id, api: this.api(await this.token(user.id, scopes), document) };
  }

  /** Ends the service and starts it again on the same data. */
  async restart(): Promise<World> {
    await this.server.close();
    const { config } = this.server.service.context;
    const isTheirs = config.publicUrl === this.server.address;
    const nodes = await startNodes(isTheirs ? { ...config, publicUrl: null } : config, this.around, this.hasOneNode);
    return new World(nodes, this.folder, this.around, this.hasOneNode);
  }

  /** Another service on the same data. */
  beside(around: ServerOptions = this.around): Promise<RunningServer> {
    return start(this.server.service.context.config, around);
  }

  async close(): Promise<void> {
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Every scope but the agent's. */
export const ALL_SCOPES: readonly TokenScope[] = SCOPES.filter((scope) => scope !== 'sheets.agent.write');

/** Starts the service on a free port with an empty database. Nobody is slowed down unless a test asks for it. */
export async function startWorld(settings: Settings = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-test-'));
  const plans = Object.fromEntries(
    Object.entries(DEFAULTS.plans).map(([name, plan]) => [
      name,
      { ...plan, requestsPerSecond: null, ...settings.plans?.[name as PlanName] },
    ]),
  ) as Config['plans'];
  const url = settings.databaseUrl === undefined ? await databaseUrlFor(folder) : settings.databaseUrl;
  if (url === null) createEmptyDatabase(folder);
  const config: Config = {
    ...DEFAULTS,
    port: 0,
    dataFolder: folder,
    database: { ...DEFAULTS.database, url },
    logLevel: 'silent',
    plans,
    limits: { ...DEFAULTS.limits, ...settings.limits },
    notifications: { ...DEFAULTS.notifications, ...settings.notifications },
    idempotency: settings.idempotency ?? DEFAULTS.idempotency,
    history: settings.history ?? DEFAULTS.history,
    trash: settings.trash ?? DEFAULTS.trash,
    invitations: settings.invitations ?? DEFAULTS.invitations,
    linkSharing: settings.linkSharing ?? DEFAULTS.linkSharing,
    proposals: settings.proposals ?? DEFAULTS.proposals,
    mcp: { ...DEFAULTS.mcp, ...settings.mcp },
    timeZone: settings.timeZone ?? DEFAULTS.timeZone,
    workers: settings.workers ?? DEFAULTS.workers,
    locale: settings.locale ?? DEFAULTS.locale,
    publicUrl: settings.publicUrl ?? DEFAULTS.publicUrl,
    allowedOrigins: settings.allowedOrigins ?? DEFAULTS.allowedOrigins,
  };
  const { clock = Date.now, wrap = (database) => database, oneNode = !HAS_TWO_NODES } = settings;
  const around = { clock, wrap };
  return new World(await startNodes(config, around, oneNode), folder, around, oneNode);
}

/** `NODES=2` has two nodes answer in turns whatever a test asks of its world. */
const HAS_TWO_NODES = process.env['NODES'] === '2';

/** Option of tests about figures and limits that each node has separately. */
export const ON_ONE_NODE = { skip: HAS_TWO_NODES && 'each of the two nodes has its own' };

async function startNodes(config: Config, around: ServerOptions, hasOneNode: boolean): Promise<RunningServer> {
  if (hasOneNode) return start(config, around);
  return inTurns(async (address) => {
    const theirs = { ...config, publicUrl: config.publicUrl ?? address };
    return [await start(theirs, around), await start(theirs, around)];
  });
}

/** A hash of a password takes next to no time. */
export const CHEAP = { N: 2, r: 8, p: 1 };

/** What a test puts around the database stands around the one that the tests run on. */
function start(config: Config, { wrap = (database) => database, ...around }: ServerOptions): Promise<RunningServer> {
  return startServer(config, {
    passwords: new Passwords(CHEAP),
    ...around,
    wrap: (database) => wrap(instrumentDatabase(database)),
  });
}

function given<T>(result: T | Refusal): T {
  if (isRefusal(result)) throw new Error(refusalText(result));
  return result;
}
