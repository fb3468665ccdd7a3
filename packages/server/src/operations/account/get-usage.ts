import { Type } from 'typebox';
import { getUsage as readUsage } from '../../service/accounts/account.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';

const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] });
const Usage = Type.Object({
  unlimited: Type.Boolean(),
  window: Type.Unsafe<string | null>({ type: ['string', 'null'], enum: ['minute', 'month', null] }),
  limit: NullableInteger,
  used: NullableInteger,
  remaining: NullableInteger,
  resetInSeconds: NullableInteger,
});

export const getUsage = defineRead({
  id: 'getUsage',
  http: { method: 'GET', path: '/usage' },
  requires: { scope: null, usesNoQuota: true },
  tag: 'Token and quota',
  summary: 'Show the quota of AI agents',
  description: 'The state of the quota for requests of AI agents. This request does not count.',
  answers: { 200: Usage, 401: REFUSALS[401], 429: REFUSALS[429] },
  example: {
    answer: { unlimited: false, window: 'minute', limit: 120, used: 3, remaining: 117, resetInSeconds: 41 },
  },

  async run({ context, caller }) {
    return toJsonContent(await readUsage(context, caller));
  },
});
