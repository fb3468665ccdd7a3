import {
  assignWorkspaceOwners,
  bumpAccessEpoch,
  insertUser,
  insertUserOfNewWorkspace,
  insertWorkspace,
  toEmailKey,
} from '@cellwire/store/accounts';
import { Passwords } from '../../src/access/passwords.ts';
import { sendHttp } from './send.ts';
import { type ApiResponse, CHEAP_HASHING, type World } from './support.ts';

interface BrowserRequest {
  readonly body?: unknown;
  /** Raw body that replaces the JSON body. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser with a page of the console: it stores its cookie and sends the origin of its page. */
export class Browser {
  readonly base: string;
  cookie: string | null = null;

  constructor(base: string) {
    this.base = base;
  }

  /** `path` starts after `/console`. Empty headers are not sent. */
  async request(method: string, path: string, { body, raw, headers = {} }: BrowserRequest = {}): Promise<ApiResponse> {
    const allHeaders = {
      origin: this.base,
      ...(this.cookie === null ? {} : { cookie: this.cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await sendHttp(`${this.base}/console${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(allHeaders).filter(([, value]) => value !== '')),
      ...(raw === undefined ? {} : { body: raw }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.storeCookie(response.headers.get('set-cookie'));
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(response.text === '' ? 'null' : response.text),
    };
  }

  async signIn({ email, password }: Pick<Person, 'email' | 'password'>): Promise<ApiResponse> {
    return this.request('POST', '/session', { body: { email, password } });
  }

  private storeCookie(header: string | null): void {
    if (header === null) return;
    const [pair = ''] = header.split(';');
    this.cookie = /Max-Age=0/.test(header) ? null : pair;
  }
}

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly workspace: number;
}

const PASSWORD = 'correct horse';
let hash: Promise<string> | null = null;
let people = 0;

/** Creates a person who can sign in, in a new workspace or in the given one. */
export async function createPerson(
  { server }: World,
  { workspace, once = false }: { readonly workspace?: number; readonly once?: boolean } = {},
): Promise<Person> {
  hash ??= new Passwords(CHEAP_HASHING).hash(PASSWORD).then(String);
  people += 1;
  // The number is padded, so that name order equals creation order.
  const number = String(people).padStart(4, '0');
  const name = `Person ${number}`;
  const email = `Person${number}@Example.org`;
  const { database, clock } = server.service.context;
  const user = {
    email,
    email_key: toEmailKey(email),
    name,
    password_hash: await hash,
    password_once: once ? 1 : 0,
    created_at: clock(),
  };
  const inserts =
    workspace === undefined
      ? [insertWorkspace({ name, plan: 'enterprise', created_at: clock() }), insertUserOfNewWorkspace(user)]
      : [insertUser({ ...user, workspace_id: workspace })];
  const outcome = await database.write({
    document: null,
    statements: [...inserts, assignWorkspaceOwners({}), bumpAccessEpoch({})],
  });
  if (outcome.kind === 'conflict') throw new Error(outcome.conflict);
  const ids = outcome.results.map(({ rows }) => Number(rows[0]?.['id']));
  const [first = 0, second = 0] = ids;
  return {
    id: workspace === undefined ? second : first,
    name,
    email,
    password: PASSWORD,
    workspace: workspace ?? first,
  };
}

/** A browser with a signed-in session. */
export async function signInAs(world: World, account: Person): Promise<Browser> {
  const browser = new Browser(world.server.address);
  const { status } = await browser.signIn(account);
  if (status !== 200) throw new Error(`${account.email} could not sign in: ${status}`);
  return browser;
}
