import { Type } from 'typebox';
import { SCOPE_TEXTS } from '../../access/scopes.ts';
import { MAX_TOKEN_DOCUMENTS } from '../../limits/http.ts';
import { MAX_MEMBERS, MAX_SENT_NAME_LENGTH } from '../../limits/requests.ts';
import { defineBody } from '../../operations/schemas/requests.ts';
import { createOwnToken, listOwnTokens, revokeOwnToken, rotateOwnToken } from '../../service/accounts/tokens.ts';
import { TOKEN_NOT_FOUND } from '../../service/refusal.ts';
import { type Api, type App, requireCaller } from '../api.ts';
import { sendOutcome } from '../errors.ts';
import { IdPath, parseNumericId, SIGNED_IN, toActor } from './session-routes.ts';

const config = { needs: SIGNED_IN };
const TokenBody = defineBody({
  name: Type.String({ maxLength: MAX_SENT_NAME_LENGTH }),
  scopes: Type.Array(Type.String({ maxLength: MAX_SENT_NAME_LENGTH }), { maxItems: MAX_MEMBERS }),
  documents: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: MAX_TOKEN_DOCUMENTS })),
  expiresAt: Type.Optional(Type.String({ maxLength: 64 })),
  propose: Type.Optional(Type.Boolean()),
});

/** Adds routes for API tokens of the user's programs. */
export function addTokenRoutes(app: App, { context }: Api): void {
  app.get('/tokens', { config }, async (request, reply) => {
    const own = await listOwnTokens(context, requireCaller(request));
    return reply.send({ ...own, scopes: SCOPE_TEXTS });
  });

  app.post('/tokens', { config, schema: { body: TokenBody } }, async (request, reply) => {
    const token = await createOwnToken(context, requireCaller(request), request.body, toActor(request));
    return sendOutcome(reply, token, 'token');
  });

  app.delete('/tokens/:id', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = parseNumericId(request.params.id);
    const token =
      id === null ? TOKEN_NOT_FOUND : await revokeOwnToken(context, requireCaller(request), id, toActor(request));
    return sendOutcome(reply, token, 'token');
  });

  app.post('/tokens/:id/rotate', { config, schema: { params: IdPath } }, async (request, reply) => {
    const id = parseNumericId(request.params.id);
    const token =
      id === null ? TOKEN_NOT_FOUND : await rotateOwnToken(context, requireCaller(request), id, toActor(request));
    return sendOutcome(reply, token, 'token');
  });
}
