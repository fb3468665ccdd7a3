import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

let world: World;
let anna: Person;
let annaBrowser: Browser;
let api: Api;

before(async () => {
  world = await startWorld();
  anna = await createPerson(world);
  annaBrowser = await signInAs(world, anna);
  api = world.apiFor(await world.createToken(String(anna.id)), '');
});
after(() => world.close());

const setLocale = (browser: Browser, locale: unknown) => browser.request('PATCH', '/workspace', { body: { locale } });

/** A formatted date in a new document, which shows the document's locale. */
async function readFormattedDate(body: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const { document } = (await api.request('POST', '/documents', { body })).body;
  const book = world.apiFor(api.token, String(document?.['id']));
  await book.put('A1', [['2026-01-31']]);
  return (await book.cell('A1'))['m'];
}

describe('the locale of new documents', () => {
  it('is set for a workspace by its owner, and a request can override it', async () => {
    const before = await readFormattedDate();
    assert.equal((await setLocale(annaBrowser, 'en-US')).status, 200);
    assert.equal(memberAt((await annaBrowser.request('GET', '/me')).body, 'me', 'workspace')['locale'], 'en-US');
    assert.equal(await readFormattedDate(), '1/31/2026');
    assert.equal(await readFormattedDate({ locale: 'de-DE' }), '31.01.2026');
    assert.equal((await setLocale(annaBrowser, 'fr-FR')).status, 200);
    assert.equal(await readFormattedDate(), '31/01/2026');
    assert.equal((await setLocale(annaBrowser, null)).status, 200);
    assert.equal(await readFormattedDate(), before);
  });

  it('must be a supported locale, and only the owner can set it', async () => {
    assert.equal((await setLocale(annaBrowser, 'xx-XX')).status, 422);
    assert.equal((await setLocale(annaBrowser, 5)).status, 422);
    const ben = await createPerson(world, { workspace: anna.workspace });
    assert.equal((await setLocale(await signInAs(world, ben), 'en-US')).status, 403);
  });
});
