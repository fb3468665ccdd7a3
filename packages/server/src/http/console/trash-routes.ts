import { Type } from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { segment } from '../../operations/schemas/requests.ts';
import type { Actor } from '../../service/accounts/actor.ts';
import { listTrash, purgeOwn, restoreOwn, type TrashedRow } from '../../service/document/trash.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import { type Api, type App, callerOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { actorOf, SIGNED_IN } from './session-routes.ts';

const config = { needs: SIGNED_IN };
/** Not called `document`, because the gate refuses deleted documents. */
const TrashedPath = Type.Object({ id: segment('Document id.') });

/** The caller's deleted documents. */
export function trashRoutes(app: App, { context }: Api): void {
  app.get('/trash', { config }, async (request, reply) =>
    reply.send({ trash: await listTrash(context, callerOf(request)) }),
  );

  type Change = (own: {
    readonly caller: Caller;
    readonly by: Actor;
    readonly id: string;
  }) => Promise<TrashedRow | Refusal>;
  const route = (method: 'POST' | 'DELETE', url: string, change: Change) =>
    app.route({
      method,
      url,
      config,
      schema: { params: TrashedPath },
      handler: async (request, reply) => {
        const { id } = request.params as { readonly id: string };
        const outcome = await change({ caller: callerOf(request), by: actorOf(request), id: id.toLowerCase() });
        return isRefusal(outcome)
          ? sendRefusal(reply, outcome)
          : reply.send({ document: { id, title: outcome.title } });
      },
    });
  route('POST', '/trash/:id/restore', (own) => restoreOwn(context, own));
  route('DELETE', '/trash/:id', (own) => purgeOwn(context, own));
}
