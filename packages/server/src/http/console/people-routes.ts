import { Type } from 'typebox';
import { MAX_TAB_LENGTH } from '../../limits/console.ts';
import { MAX_RANGE_LENGTH } from '../../limits/limits.ts';
import { body, DocumentPath } from '../../operations/schemas/requests.ts';
import { exchangePresence } from '../../service/exchange-presence.ts';
import { listShares } from '../../service/list-shares.ts';
import { isRefusal } from '../../service/refusal.ts';
import type { Api, App } from '../api.ts';
import { accessOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';

const PresenceBody = body({
  tab: Type.String({ minLength: 1, maxLength: MAX_TAB_LENGTH }),
  range: Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: MAX_RANGE_LENGTH }),
});

/** Who has to do with a document. */
export function documentPeopleRoutes(app: App, { context }: Api): void {
  app.get(
    '/documents/:document/shares',
    { config: { needs: { scope: 'sheets.read', owner: true } }, schema: { params: DocumentPath } },
    async (request, reply) => reply.send({ shares: await listShares(context, accessOf(request)) }),
  );

  app.put(
    '/documents/:document/presence',
    { config: { needs: { scope: 'sheets.read' } }, schema: { params: DocumentPath, body: PresenceBody } },
    async (request, reply) => {
      const present = await exchangePresence(context, accessOf(request), request.body);
      return isRefusal(present) ? sendRefusal(reply, present) : reply.send({ present });
    },
  );
}
