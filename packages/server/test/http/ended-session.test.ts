import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Interruption } from '../../../store/test/interruption.ts';
import { type Browser, type Person, person, signedIn } from './browser.ts';
import { type Answer, type Json, startWorld, type World } from './support.ts';

const interruption = new Interruption();
let world: World;
let owner: Person;
let member: Person;

before(async () => {
  world = await startWorld({ wrap: interruption.wrap });
  owner = await person(world);
  member = await person(world, { workspace: owner.workspace });
});
after(() => world.close());

const scopes = ['sheets.read'];

interface Act {
  readonly what: string;
  /** The table that it writes first. */
  readonly table: string;
  /** Asked by the owner, who made a token `own` before. */
  readonly ask: (browser: Browser, own: number) => Promise<Answer>;
  /** What would be another afterwards. */
  readonly seen: (browser: Browser) => Promise<unknown>;
}

const tokensOf = async (browser: Browser) => (await browser.ask('GET', '/tokens')).body['tokens'];
const invitationsOf = async (browser: Browser) => (await browser.ask('GET', '/invitations')).body['invitations'];
const membersOf = async (browser: Browser) =>
  ((await browser.ask('GET', '/users')).body['users'] as unknown as readonly Json[]).map(({ disabled }) => disabled);
const memberSignsIn = async () => (await signedIn(world, member)).cookie !== null;

const ACTS: readonly Act[] = [
  {
    what: 'a token is made',
    table: 'tokens',
    ask: (browser) => browser.ask('POST', '/tokens', { body: { name: 'late', scopes } }),
    seen: tokensOf,
  },
  {
    what: 'a token gets another secret',
    table: 'tokens',
    ask: (browser, own) => browser.ask('POST', `/tokens/${own}/rotate`),
    seen: tokensOf,
  },
  {
    what: 'somebody is invited',
    table: 'invitations',
    ask: (browser) => browser.ask('POST', '/invitations', { body: { email: 'late@example.org' } }),
    seen: invitationsOf,
  },
  {
    what: 'a member gets another password',
    table: 'users',
    ask: (browser) => browser.ask('POST', `/users/${member.id}/password`),
    seen: memberSignsIn,
  },
  {
    what: 'a member is disabled',
    table: 'users',
    ask: (browser) => browser.ask('PATCH', `/users/${member.id}`, { body: { disabled: true } }),
    seen: membersOf,
  },
];

describe('what a session allows is not done where, just before it is written, the session has ended, as', () => {
  for (const { what, table, ask, seen } of ACTS) {
    it(what, async () => {
      const [browser, elsewhere] = [await signedIn(world, owner), await signedIn(world, owner)];
      const made = await elsewhere.ask('POST', '/tokens', { body: { name: 'own', scopes } });
      const before = await seen(elsewhere);
      const sessions = (await browser.ask('GET', '/sessions')).body['sessions'] as unknown as readonly Json[];
      const own = sessions.find(({ current }) => Boolean(current));
      interruption.beforeWriting(table, () => elsewhere.ask('DELETE', `/sessions/${own?.['id']}`));
      const refused = await ask(browser, Number(made.body['token']['id']));
      assert.deepEqual([refused.status, refused.body], [401, { message: 'Unauthenticated' }]);
      assert.deepEqual(await seen(elsewhere), before);
    });
  }
});
