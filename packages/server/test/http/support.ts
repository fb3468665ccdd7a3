import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  assignWorkspaceOwners,
  bumpAccessEpoch,
  insertUserOfNewWorkspace,
  insertWorkspace,
  toEmailKey,
} from '@cellwire/store/accounts';
import { createEmptyDatabase } from '../../../store/test/empty-database.ts';
import { instrumentDatabase } from '../../../store/test/instrumented-database.ts';
import { getDatabaseUrl } from '../../../store/test/postgres/folder-databases.ts';
import { Passwords } from '../../src/access/passwords.ts';
import { SCOPES, type TokenScope } from '../../src/access/scopes.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../src/compose/server.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { Config, Plan, PlanName } from '../../src/config/types.ts';
import { shareDocument } from '../../src/service/operator/documents.ts';
import { createDocument } from '../../src/service/operator/new-document.ts';
import { protectSheet } from '../../src/service/operator/sheets.ts';
import { createToken } from '../../src/service/operator/tokens.ts';
import { describeRefusal, isRefusal, type Refusal } from '../../src/service/refusal.ts';
import { startRoundRobin } from '../nodes/round-robin.ts';
import { type ResponseHeaders, sendHttp } from './send.ts';

/** A response of the API. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Json;
}

/** Parsed JSON. A test fails if the JSON has another shape than the test reads. */
export interface Json {
  readonly [name: string]: Json;
  readonly [index: number]: Json;
}

/** The parts of a response that tests compare. */
export function pickStatusAndBody({ status, body }: ApiResponse): unknown[] {
  return [status, body];
}

/** Returns a member of a JSON value by its path; it may be null. Fails if the value has no such member. */
export function memberAt(json: Json | undefined, ...path: readonly (string | number)[]): Json {
  let value = json;
  for (const [i, name] of path.entries()) {
    value = value?.[name];
    if (value === undefined) throw new Error(`The value has no member ${path.slice(0, i + 1).join('.')}`);
  }
  if (value === undefined) throw new Error('There is no value');
  return value;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Raw body, replaces `body`. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

export interface WriteOptions {
  readonly key?: string;
  readonly mode?: 'RAW' | 'USER_ENTERED';
  readonly major?: 'ROWS' | 'COLUMNS';
}

type InputMatrix = readonly (readonly unknown[])[];

/** A client of the API with one token and one document. */
export class Api {
  readonly base: string;
  readonly token: string;
  readonly document: string;

  constructor(base: string, token: string, document: string) {
    this.base = base;
    this.token = token;
    this.document = document;
  }

  /** The same client for another document. */
  forDocument(document: string): Api {
    return new Api(this.base, this.token, document);
  }

  /** Sends a request. `path` starts after `/api/v1`. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    const hasBody = options.body !== undefined || options.raw !== undefined;
    const { status, headers, text } = await sendHttp(`${this.base}/api/v1${path}`, {
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

  /** `path` starts after the path of the document. */
  requestInDocument(method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.request(method, `/documents/${this.document}${path}`, options);
  }

  /** Requests the values of a range. */
  get(range: string, query: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    const search = new URLSearchParams(query).toString();
    return this.requestInDocument('GET', `/values/${encodeURIComponent(range)}${search === '' ? '' : `?${search}`}`);
  }

  /** Reads the cells of a range; fails unless the read succeeds. */
  async cells(range: string): Promise<Json> {
    const answer = await this.get(range);
    if (answer.status !== 200) throw new Error(`${range}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return memberAt(answer.body, 'values', 'cells');
  }

  /** Reads one cell; null if the cell is empty. */
  async cell(address: string): Promise<Json> {
    return memberAt(await this.cells(address), 0, 0);
  }

  /** Requests the values of several ranges. */
  batchGet(ranges: readonly string[], query: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    const search = new URLSearchParams([...ranges.map((range) => ['ranges[]', range]), ...Object.entries(query)]);
    return this.requestInDocument('GET', `/values/batchGet?${search}`);
  }

  /** Writes values to a range. */
  put(range: string, values: InputMatrix, { key, mode, major }: WriteOptions = {}): Promise<ApiResponse> {
    const body = { values, ...createWriteOptions(mode, major) };
    return this.requestInDocument('PUT', `/values/${encodeURIComponent(range)}`, {
      body,
      ...(key === undefined ? {} : { key }),
    });
  }

  /** Writes values to several ranges in one commit. */
  batchUpdate(
    data: readonly { range: string; values: InputMatrix }[],
    options: WriteOptions = {},
  ): Promise<ApiResponse> {
    return this.post('/values/batchUpdate', { data, ...createWriteOptions(options.mode, options.major) }, options.key);
  }

  /** Writes values below the last filled row of a range. */
  append(range: string, values: InputMatrix, options: WriteOptions = {}): Promise<ApiResponse> {
    return this.post(
      '/values/append',
      { range, values, ...createWriteOptions(options.mode, options.major) },
      options.key,
    );
  }

  /** Clears a range. */
  clear(range: string, key?: string): Promise<ApiResponse> {
    return this.post('/values/clear', { range }, key);
  }

  /** Requests the list of sheets. */
  sheets(): Promise<ApiResponse> {
    return this.requestInDocument('GET', '/sheets');
  }

  addSheet(name?: string, key?: string): Promise<ApiResponse> {
    return this.post('/sheets', name === undefined ? {} : { name }, key);
  }

  renameSheet(sheet: string, name: string, key?: string): Promise<ApiResponse> {
    const options = { body: { name }, ...(key === undefined ? {} : { key }) };
    return this.requestInDocument('PATCH', `/sheets/${encodeURIComponent(sheet)}`, options);
  }

  deleteSheet(sheet: string, key?: string): Promise<ApiResponse> {
    return this.requestInDocument('DELETE', `/sheets/${encodeURIComponent(sheet)}`, key === undefined ? {} : { key });
  }

  post(path: string, body: unknown, key?: string): Promise<ApiResponse> {
    return this.requestInDocument('POST', path, { body, ...(key === undefined ? {} : { key }) });
  }

  /** Undoes a revision. */
  undo(revision: number | string, body?: { readonly force: boolean }, key?: string): Promise<ApiResponse> {
    return this.requestInDocument('POST', `/revisions/${revision}/undo`, {
      body: body ?? {},
      ...(key === undefined ? {} : { key }),
    });
  }

  /** Restores the document to a revision. */
  restore(revision: number | string, key?: string): Promise<ApiResponse> {
    return this.requestInDocument('POST', `/revisions/${revision}/restore`, key === undefined ? {} : { key });
  }

  /** Lists the revisions of the document. */
  async listRevisions(query = ''): Promise<Json> {
    return memberAt((await this.requestInDocument('GET', `/revisions${query}`)).body, 'revisions');
  }

  /** Lists the audit entries of the document. */
  async listAuditEntries(query = ''): Promise<Json> {
    return memberAt((await this.requestInDocument('GET', `/audit${query}`)).body, 'audit');
  }

  /** The id of the document's newest revision. */
  async revision(): Promise<string> {
    return String(memberAt((await this.requestInDocument('GET', '')).body, 'document', 'revisionId'));
  }
}

/** The members of a write that set the input mode and the direction of values. */
function createWriteOptions(mode?: string, major?: string): object {
  return {
    ...(mode === undefined ? {} : { valueInputOption: mode }),
    ...(major === undefined ? {} : { majorDimension: major }),
  };
}

export interface WorldSettings extends ServerOptions {
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
  /** A PostgreSQL URL, or null for the embedded database. Overrides the database of the test run. */
  readonly databaseUrl?: string | null;
  /** Starts one node, even with `NODES=2`. For tests of connections and metrics, which each node has separately. */
  readonly oneNode?: boolean;
}

export interface DocumentOptions {
  readonly title?: string;
  readonly locale?: string;
  readonly inputLocale?: string;
  readonly format?: string;
  readonly type?: string;
}

export interface BookOptions extends DocumentOptions {
  readonly plan?: PlanName;
}

/** A running service with users and documents, created as an operator creates them. */
export class World {
  readonly server: RunningServer;
  private readonly folder: string;
  private readonly owners = new Map<PlanName, { readonly id: string; readonly token: string }>();
  private readonly serverOptions: ServerOptions;
  private readonly hasOneNode: boolean;
  private users = 0;

  constructor(server: RunningServer, folder: string, serverOptions: ServerOptions, hasOneNode: boolean) {
    this.server = server;
    this.folder = folder;
    this.serverOptions = serverOptions;
    this.hasOneNode = hasOneNode;
  }

  /** A user with a workspace, but without a password, because password hashing is slow on purpose. */
  async createUser(plan: PlanName = 'enterprise'): Promise<{ readonly id: string; readonly name: string }> {
    this.users++;
    const name = `User ${this.users}`;
    const email = `user${this.users}@example.org`;
    const { database, clock } = this.server.service.context;
    const user = {
      email,
      email_key: toEmailKey(email),
      name,
      password_hash: '',
      password_once: 0,
      created_at: clock(),
    };
    const workspace = insertWorkspace({ name, plan, created_at: user.created_at });
    const outcome = await database.write({
      document: null,
      statements: [workspace, insertUserOfNewWorkspace(user), assignWorkspaceOwners({}), bumpAccessEpoch({})],
    });
    if (outcome.kind === 'conflict') throw new Error(`${email} is taken`);
    return { id: String(outcome.results[1]?.rows[0]?.['id']), name };
  }

  /** Creates a token of a user; for all documents of the user unless `documents` names some. */
  async createToken(
    user: string,
    scopes: readonly TokenScope[] = ALL_SCOPES,
    documents?: readonly string[],
  ): Promise<string> {
    const tokenInput = { user, name: 'test token', scopes, documents };
    return requireAccepted(await createToken(this.server.service.context, tokenInput)).token;
  }

  /** Creates an empty document and returns its id. */
  async createDocument(owner: string, options: DocumentOptions = {}): Promise<string> {
    const input = { owner, title: 'Book', locale: 'en-US', ...options };
    return requireAccepted(await createDocument(this.server.service.context, input)).id;
  }

  /** Gives a user a role in a document. */
  async share(document: string, user: string, role: string): Promise<void> {
    requireAccepted(await shareDocument(this.server.service.context, { document, user, role }));
  }

  /** Hides the values of a sheet or locks it. `allow`: ids of users who are exempt. */
  async protect(
    document: string,
    sheet: string,
    { hideValues = false, lock = false, allow = [] as readonly string[] },
  ): Promise<void> {
    requireAccepted(await protectSheet(this.server.service.context, { document, sheet, hideValues, lock, allow }));
  }

  /** A client with a token, for one document. */
  apiFor(token: string, document = ''): Api {
    return new Api(this.server.address, token, document);
  }

  /** A new document of the default user of a plan, with a token for all scopes except `sheets.agent.write`. */
  async createBook({ plan = 'enterprise', ...options }: BookOptions = {}): Promise<Api> {
    let owner = this.owners.get(plan);
    if (owner === undefined) {
      const { id } = await this.createUser(plan);
      owner = { id, token: await this.createToken(id) };
      this.owners.set(plan, owner);
    }
    return this.apiFor(owner.token, await this.createDocument(owner.id, options));
  }

  /** A new user with a role in the document, and a token of that user. */
  async addMember(document: string, role: string, scopes: readonly TokenScope[] = ALL_SCOPES, plan?: PlanName) {
    const user = await this.createUser(plan);
    await this.share(document, user.id, role);
    return { id: user.id, api: this.apiFor(await this.createToken(user.id, scopes), document) };
  }

  /** Closes the service and starts it again with the same data. */
  async restart(): Promise<World> {
    await this.server.close();
    const { config } = this.server.service.context;
    const isOwnAddress = config.publicUrl === this.server.address;
    const nodes = await startNodes(
      isOwnAddress ? { ...config, publicUrl: null } : config,
      this.serverOptions,
      this.hasOneNode,
    );
    return new World(nodes, this.folder, this.serverOptions, this.hasOneNode);
  }

  /** Starts another service with the same data. */
  startSecondService(serverOptions: ServerOptions = this.serverOptions): Promise<RunningServer> {
    return startTestServer(this.server.service.context.config, serverOptions);
  }

  /** Stops the service and removes its data. */
  async close(): Promise<void> {
    await this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** All scopes except `sheets.agent.write`. */
export const ALL_SCOPES: readonly TokenScope[] = SCOPES.filter((scope) => scope !== 'sheets.agent.write');

/** Starts the service on a free port with an empty database, by default without rate limits. */
export async function startWorld(settings: WorldSettings = {}): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-test-'));
  const plans = Object.fromEntries(
    Object.entries(DEFAULTS.plans).map(([name, plan]) => [
      name,
      { ...plan, requestsPerSecond: null, ...settings.plans?.[name as PlanName] },
    ]),
  ) as Config['plans'];
  const url = settings.databaseUrl === undefined ? await getDatabaseUrl(folder) : settings.databaseUrl;
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
  const serverOptions = { clock, wrap };
  return new World(await startNodes(config, serverOptions, oneNode), folder, serverOptions, oneNode);
}

/** With `NODES=2`, the tests run on two nodes that answer in turn. */
const HAS_TWO_NODES = process.env['NODES'] === '2';

/** Option of tests about figures and limits that each node has separately. */
export const ON_ONE_NODE = { skip: HAS_TWO_NODES && 'each of the two nodes has its own' };

async function startNodes(config: Config, serverOptions: ServerOptions, hasOneNode: boolean): Promise<RunningServer> {
  if (hasOneNode) return startTestServer(config, serverOptions);
  return startRoundRobin(async (address) => {
    const nodeConfig = { ...config, publicUrl: config.publicUrl ?? address };
    return [await startTestServer(nodeConfig, serverOptions), await startTestServer(nodeConfig, serverOptions)];
  });
}

/** Parameters that make password hashing fast. */
export const CHEAP_HASHING = { N: 2, r: 8, p: 1 };

/** The wrapper of a test goes around the instrumented database of the test run. */
function startTestServer(
  config: Config,
  { wrap = (database) => database, ...serverOptions }: ServerOptions,
): Promise<RunningServer> {
  return startServer(config, {
    passwords: new Passwords(CHEAP_HASHING),
    ...serverOptions,
    wrap: (database) => wrap(instrumentDatabase(database)),
  });
}

/** The result of an operator's action; throws if it is refused. */
export function requireAccepted<T>(result: T | Refusal): T {
  if (isRefusal(result)) throw new Error(describeRefusal(result));
  return result;
}
