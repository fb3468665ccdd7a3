import { Type } from 'typebox';
import { SCOPES } from '../../access/scopes.ts';
import { toJsonContent } from '../answer.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';

export const getUserinfo = defineRead({
  id: 'getUserinfo',
  http: { method: 'GET', path: '/userinfo' },
  requires: { scope: null },
  tag: 'Token and quota',
  summary: 'Show the scopes of the token',
  description: 'The scopes of the token. Answers 200 for every valid token.',
  answers: { 200: Type.Object({ scopes: Type.Array(Type.String()) }), 401: REFUSALS[401], 429: REFUSALS[429] },
  example: { answer: { scopes: ['sheets.read', 'sheets.write'] } },

  // Scopes in the contract's order.
  run: ({ caller }) => toJsonContent({ scopes: SCOPES.filter((scope) => caller.scopes.has(scope)) }),
});
