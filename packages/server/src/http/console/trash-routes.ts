import { Type } from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { definePathSegment } from '../../operations/schemas/requests.ts';
import type { Actor } from '../../service/accounts/actor.ts';
import { listTrash, purgeOwnDocument, restoreOwnDocument, type TrashedRow } from '../../service/document/trash.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import { type Api, type App, requireCaller } from '../api.ts';
import { sendOutcome } from '../errors.ts';
import { SIGNED_IN, toActor } from './session-routes.ts';

const config = { needs: SIGNED_IN };
/** Not called `document`, because the gate refuses deleted documents. */
const TrashedPath = Type.Object({ id: definePathSegment('Document id.') });

/** Adds routes for the caller's deleted documents. */
export function addTrashRoutes(app: App, { context }: Api): void {
  app.get('/trash', { config }, async (request, reply) =>
    reply.send({ trash: await listTrash(context, requireCaller(request)) }),
  );

  type Change = (own: {
    readonly caller: Caller;
    readonly by: Actor;
    readonly id: string;
  }) => Promise<TrashedRow | Refusal>;
  const addRoute = (method: 'POST' | 'DELETE', url: string, change: Change) =>
    app.route({
      method,
      url,
      config,
      schema: { params: TrashedPath },
      handler: async (request, reply) => {
        const { id } = request.params as { readonly id: string };
        const outcome = await change({ caller: requireCaller(request), by: toActor(request), id: id.toLowerCase() });
        return sendOutcome(reply, isRefusal(outcome) ? outcome : { id, title: outcome.title }, 'document');
      },
    });
  addRoute('POST', '/trash/:id/restore', (own) => restoreOwnDocument(context, own));
  addRoute('DELETE', '/trash/:id', (own) => purgeOwnDocument(context, own));
}
