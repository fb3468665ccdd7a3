import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Interruption } from '../../../store/test/interruption.ts';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type ApiResponse, type Json, memberAt, startWorld, type World } from './support.ts';

const interruption = new Interruption();
let world: World;
let owner: Person;
let member: Person;

before(async () => {
  world = await startWorld({ wrap: interruption.wrap });
  owner = await createPerson(world);
  member = await createPerson(world, { workspace: owner.workspace });
});
after(() => world.close());

const scopes = ['sheets.read'];

interface SessionAction {
  readonly description: string;
  /** Table that the first write of the case creates. */
  readonly table: string;
  /** Performs the action as the owner, who has created the token `own`. */
  readonly perform: (browser: Browser, ownSession: number) => Promise<ApiResponse>;
  /** The state that the action would change. */
  readonly readState: (browser: Browser) => Promise<unknown>;
}

const readTokens = async (browser: Browser) => (await browser.request('GET', '/tokens')).body['tokens'];
const readInvitations = async (browser: Browser) => (await browser.request('GET', '/invitations')).body['invitations'];
const readMembers = async (browser: Browser) =>
  ((await browser.request('GET', '/users')).body['users'] as unknown as readonly Json[]).map(
    ({ disabled }) => disabled,
  );
const canMemberSignIn = async () => (await signInAs(world, member)).cookie !== null;

const ACTIONS: readonly SessionAction[] = [
  {
    description: 'create a token',
    table: 'tokens',
    perform: (browser) => browser.request('POST', '/tokens', { body: { name: 'late', scopes } }),
    readState: readTokens,
  },
  {
    description: 'rotate a token',
    table: 'tokens',
    perform: (browser, ownSession) => browser.request('POST', `/tokens/${ownSession}/rotate`),
    readState: readTokens,
  },
  {
    description: 'invite a user',
    table: 'invitations',
    perform: (browser) => browser.request('POST', '/invitations', { body: { email: 'late@example.org' } }),
    readState: readInvitations,
  },
  {
    description: 'reset the password of a member',
    table: 'users',
    perform: (browser) => browser.request('POST', `/users/${member.id}/password`),
    readState: canMemberSignIn,
  },
  {
    description: 'disable a member',
    table: 'users',
    perform: (browser) => browser.request('PATCH', `/users/${member.id}`, { body: { disabled: true } }),
    readState: readMembers,
  },
];

describe('an action of a session that ends just before the write is refused:', () => {
  for (const { description, table, perform: ask, readState: seen } of ACTIONS) {
    it(description, async () => {
      const [browser, otherBrowser] = [await signInAs(world, owner), await signInAs(world, owner)];
      const created = await otherBrowser.request('POST', '/tokens', { body: { name: 'own', scopes } });
      const before = await seen(otherBrowser);
      const sessions = (await browser.request('GET', '/sessions')).body['sessions'] as unknown as readonly Json[];
      const ownSession = sessions.find(({ current }) => Boolean(current));
      interruption.beforeWriting(table, () => otherBrowser.request('DELETE', `/sessions/${ownSession?.['id']}`));
      const refused = await ask(browser, Number(memberAt(created.body, 'token')['id']));
      assert.deepEqual([refused.status, refused.body], [401, { message: 'Unauthenticated' }]);
      assert.deepEqual(await seen(otherBrowser), before);
    });
  }
});
