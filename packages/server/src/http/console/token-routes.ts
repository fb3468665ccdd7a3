import { Type } from 'typebox';
import { SCOPE_TEXTS } from '../../access/scopes.ts';
import { MAX_TOKEN_DOCUMENTS } from '../../limits/http.ts';
import { MAX_MEMBERS, MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { body } from '../../operations/schemas/requests.ts';
import { listOwnTokens, makeOwnToken, revokeOwnToken, rotateOwnToken } from '../../service/accounts/tokens.ts';
import { isRefusal, TOKEN_NOT_FOUND } from '../../service/refusal.ts';
import { type Api, type App, callerOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { actorOf, IdPath, idOf, SIGNED_IN } from './session-routes.ts';

const config = { needs: SIGNED_IN };
const TokenBody = body({
  name: Type.String({ maxLength: MAX_SENT_NAME_LENGTH }),
  scopes: Type.Array(Type.String({ maxLength: MAX_SENT_NAME_LENGTH }), { maxItems: MAX_MEMBERS }),
  documents: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: MAX_TOKEN_DOCUMENTS })),
  expiresAt: Type.Optional(Type.String({ maxLength: 64 })),
  propose: Type.Optional(Type.Boolean()),
});

/** API tokens of the user's programs. */
export function tokenRoutes(app: App, { context }: Api): void {
  app.get('/tokens', { config }, async (request, reply) => {
    const own = await listOwnTokens(context, callerOf(request));
    return reply.send({ ...own, scopes: SCOPE_TEXTS });
  });

  app.post('/tokens', { config, schema: { body: TokenBody } }, async (request, reply) => {
    const token = await makeOwnToken(context, callerOf(request), request.body, actorOf(request));
    return isRefusal(token) ? sendRefusal(reply, token) : reply.send({ token });
  });

  app.delete('/tokens/:id', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = idOf(request.params.id);
    const token =
      id === null ? TOKEN_NOT_FOUND : await revokeOwnToken(context, callerOf(request), id, actorOf(request));
    return isRefusal(token) ? sendRefusal(reply, token) : reply.send({ token });
  });

  app.post('/tokens/:id/rotate', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = idOf(request.params.id);
    const token =
      id === null ? TOKEN_NOT_FOUND : await rotateOwnToken(context, callerOf(request), id, actorOf(request));
    return isRefusal(token) ? sendRefusal(reply, token) : reply.send({ token });
  });
}
