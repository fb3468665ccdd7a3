import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, type Person, person, signedIn } from './browser.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
let anna: Person;
let annas: Browser;
let api: Api;

before(async () => {
  world = await startWorld();
  anna = await person(world);
  annas = await signedIn(world, anna);
  api = world.api(await world.token(String(anna.id)), '');
});
after(() => world.close());

const choose = (browser: Browser, locale: unknown) => browser.ask('PATCH', '/workspace', { body: { locale } });

/** The locale of a document that is made without saying one, as its first date shows. */
async function shownDate(body: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const { document } = (await api.request('POST', '/documents', { body })).body;
  const book = world.api(api.token, String(document?.['id']));
  await book.put('A1', [['2026-01-31']]);
  return (await book.cell('A1'))['m'];
}

describe('the locale of new documents', () => {
  it('is chosen for a workspace by its owner, and a request may say another', async () => {
    const before = await shownDate();
    assert.equal((await choose(annas, 'en-US')).status, 200);
    assert.equal((await annas.ask('GET', '/me')).body['me']['workspace']['locale'], 'en-US');
    assert.equal(await shownDate(), '1/31/2026');
    assert.equal(await shownDate({ locale: 'de-DE' }), '31.01.2026');
    assert.equal((await choose(annas, 'fr-FR')).status, 200);
    assert.equal(await shownDate(), '31/01/2026');
    assert.equal((await choose(annas, null)).status, 200);
    assert.equal(await shownDate(), before);
  });

  it('is none that the service does not have, and nobody else chooses it', async () => {
    assert.equal((await choose(annas, 'xx-XX')).status, 422);
    assert.equal((await choose(annas, 5)).status, 422);
    const ben = await person(world, { workspace: anna.workspace });
    assert.equal((await choose(await signedIn(world, ben), 'en-US')).status, 403);
  });
});
