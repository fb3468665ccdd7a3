import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Presence } from '../../src/service/presence/presence.ts';

const PRESENT = { tab: 'b', user: { id: 2, name: 'Mia' }, range: 'Sheet1!B2', revision: 3, sheet: 1, at: 0 };

test('users reported by another node are present; an invalid message changes nothing', () => {
  const presence = new Presence();
  const listOthers = () => presence.exchangeTab('d', '1 a', null, 0);
  const message = { document: 'd', key: '2 b', present: PRESENT };
  presence.receiveMessage(JSON.stringify(message), 0);
  assert.deepEqual(listOthers(), [PRESENT]);
  const invalidMessages: readonly unknown[] = [
    null,
    1,
    {},
    { ...message, document: 1 },
    { ...message, key: null },
    { ...message, present: undefined },
    { ...message, present: {} },
    { ...message, present: { ...PRESENT, user: null } },
    { ...message, present: { ...PRESENT, user: { id: 2, name: {} } } },
    { ...message, present: { ...PRESENT, range: 7 } },
    { ...message, present: { ...PRESENT, revision: 'x' } },
  ];
  for (const one of invalidMessages) presence.receiveMessage(JSON.stringify(one), 0);
  assert.deepEqual(listOthers(), [PRESENT]);
  presence.receiveMessage(JSON.stringify({ ...message, present: null }), 0);
  assert.deepEqual(listOthers(), []);
});
