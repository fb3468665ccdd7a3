import {
  assignWorkspaceOwners,
  bumpAccessEpoch,
  emailKey,
  insertUser,
  insertUserOfNewWorkspace,
  insertWorkspace,
} from '@cellwire/store/accounts';
import { Passwords } from '../../src/access/passwords.ts';
import { send } from './send.ts';
import { type Answer, CHEAP, type World } from './support.ts';

interface Asked {
  readonly body?: unknown;
  /** The body as it is, in place of JSON. */
  readonly raw?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser with a page of the console open: it keeps its cookie, and says where its page is from. */
export class Browser {
  readonly base: string;
  cookie: string | null = null;

  constructor(base: string) {
    this.base = base;
  }

  /** `path` begins after `/console`. A header that is empty is not sent. */
  async ask(method: string, path: string, { body, raw, headers = {} }: Asked = {}): Promise<Answer> {
    const all = {
      origin: this.base,
      ...(this.cookie === null ? {} : { cookie: this.cookie }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const sent = await send(`${this.base}/console${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      ...(raw === undefined ? {} : { body: raw }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.keep(sent.headers.get('set-cookie'));
    return { status: sent.status, headers: sent.headers, body: JSON.parse(sent.text === '' ? 'null' : sent.text) };
  }

  async signIn({ email, password }: Pick<Person, 'email' | 'password'>): Promise<Answer> {
    return this.ask('POST', '/session', { body: { email, password } });
  }

  private keep(header: string | null): void {
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

/** Somebody who can sign in, with a workspace of their own, or in that of another. */
export async function person(
  { server }: World,
  { workspace, once = false }: { readonly workspace?: number; readonly once?: boolean } = {},
): Promise<Person> {
  hash ??= new Passwords(CHEAP).hash(PASSWORD).then(String);
  people += 1;
  // Padded: lists that the service sorts by name are in order of creation, however many people there are.
  const number = String(people).padStart(4, '0');
  const name = `Person ${number}`;
  const email = `Person${number}@Example.org`;
  const { database, clock } = server.service.context;
  const user = {
    email,
    email_key: emailKey(email),
    name,
    password_hash: await hash,
    password_once: once ? 1 : 0,
    created_at: clock(),
  };
  const joined =
    workspace === undefined
      ? [insertWorkspace({ name, plan: 'enterprise', created_at: clock() }), insertUserOfNewWorkspace(user)]
      : [insertUser({ ...user, workspace_id: workspace })];
  const outcome = await database.write({
    document: null,
    statements: [...joined, assignWorkspaceOwners({}), bumpAccessEpoch({})],
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

/** A browser in which somebody is signed in. */
export async function signedIn(world: World, who: Person): Promise<Browser> {
  const browser = new Browser(world.server.address);
  const { status } = await browser.signIn(who);
  if (status !== 200) throw new Error(`${who.email} could not sign in: ${status}`);
  return browser;
}
