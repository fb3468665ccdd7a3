import { Type } from 'typebox';
import type { DocumentAccess } from '../../access/access.ts';
import type { Needs } from '../../access/gate.ts';
import { DEFAULT_REVISIONS_PAGE, MAX_REVISION_NAME_LENGTH, MAX_SENT_NAME_LENGTH } from '../../limits/limits.ts';
import { byRights } from '../../service/by-rights.ts';
import { isRefusal } from '../../service/refusal.ts';
import { listRevisions, nameRevision } from '../../service/revisions.ts';
import { restore, undo } from '../../service/take-back.ts';
import { DRY_RUN, REFUSALS } from '../answers.ts';
import type { Api, App } from '../api.ts';
import { accessOf } from '../api.ts';
import { sendRefusal } from '../errors.ts';
import { answerOnce, idempotencyHook, sendReply, writeOf } from '../idempotency-hook.ts';
import { actingOf } from '../renew-access.ts';
import {
  body,
  ConditionsBody,
  count,
  DocumentPath,
  Offset,
  optionalBody,
  query,
  segment,
  WRITE_CONDITIONS,
  WriteQuery,
} from '../schemas.ts';

const READS: Needs = { scope: 'sheets.read', feature: 'sheetOperations' };
const WRITES: Needs = { scope: 'sheets.write', feature: 'valueWrites', writes: true };
const REVISIONS = '/documents/:document/revisions';
const TAGS = ['History'];

const RevisionPath = Type.Object({ ...DocumentPath.properties, revision: segment('Number of a revision.') });
const RevisionsQuery = query({
  offset: Type.Optional(Offset),
  limit: Type.Optional(count(1, `${DEFAULT_REVISIONS_PAGE} by default, capped at 200.`)),
});
/** The body as a whole may be left out. */
const UndoBody = optionalBody({
  force: Type.Optional(Type.Boolean({ description: 'Overwrite what others have written there since.' })),
  ...WRITE_CONDITIONS,
});
const NameBody = body({
  name: Type.String({
    maxLength: MAX_SENT_NAME_LENGTH,
    description: `1–${MAX_REVISION_NAME_LENGTH} characters. A revision with a name is kept.`,
  }),
});

const nullable = (type: 'string' | 'integer') => Type.Unsafe<unknown>({ type: [type, 'null'] });
const Revision = Type.Object(
  {
    revision: Type.Integer(),
    at: Type.String({ format: 'date-time' }),
    userId: nullable('integer'),
    userName: nullable('string'),
    token: nullable('string'),
    requestId: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Of the request that wrote it.' }),
    origin: Type.String(),
    ranges: Type.Array(Type.String(), { description: 'Cells that were written; the first of many ranges.' }),
    cells: Type.Integer({ minimum: 0 }),
    name: Type.Optional(Type.String()),
    undoes: Type.Optional(Type.Integer({ description: 'The revision that this one took back.' })),
    undoneBy: Type.Optional(Type.Integer({ description: 'The revision that took this one back.' })),
  },
  { title: 'Revision' },
);
const Revisions = Type.Object({
  revisions: Type.Object({
    entries: Type.Array(Revision, { description: 'Newest first.' }),
    total: Type.Integer({ minimum: 0 }),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1 }),
  }),
});
const Made = { revision: Type.Integer(), revisionId: Type.String({ description: 'Of the new commit.' }) };
const Undone = Type.Object({
  undone: Type.Object(Made),
  ...DRY_RUN,
});
const Conflict = Type.Object({
  message: Type.String(),
  revisionId: Type.String(),
  conflicts: Type.Optional(
    Type.Array(Type.String(), { description: 'What others have written since; empty where it is taken back already.' }),
  ),
});

export function revisionRoutes(app: App, api: Api): void {
  listRevisionsRoute(app, api);
  nameRevisionRoute(app, api);
  undoRoute(app, api);
  restoreRoute(app, api);
}

function listRevisionsRoute(app: App, api: Api): void {
  app.get(
    REVISIONS,
    {
      config: { needs: READS },
      schema: {
        operationId: 'listRevisions',
        summary: 'List the revisions that are kept',
        tags: TAGS,
        params: DocumentPath,
        querystring: RevisionsQuery,
        response: { 200: Revisions, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { offset = 0, limit = DEFAULT_REVISIONS_PAGE } = request.query;
      const revisions = await listRevisions(api.context, accessOf(request), { offset, limit });
      return isRefusal(revisions) ? sendRefusal(reply, revisions) : { revisions };
    },
  );
}

function nameRevisionRoute(app: App, api: Api): void {
  app.put(
    `${REVISIONS}/:revision`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'nameRevision',
        summary: 'Give a revision a name, which keeps it',
        tags: TAGS,
        params: RevisionPath,
        body: NameBody,
        response: { 200: Type.Object({ revision: Revision }), ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { revision: number } = request.params;
      const { name } = request.body;
      const named = (access: DocumentAccess) => nameRevision(api.context, access, number, name);
      return answerOnce(api, request, reply, async () => {
        const revision = await byRights(actingOf(api, request), named);
        return isRefusal(revision) ? revision : { revision };
      });
    },
  );
}

function undoRoute(app: App, api: Api): void {
  app.post(
    `${REVISIONS}/:revision/undo`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'undoRevision',
        summary: 'Take a revision back as a new commit',
        tags: TAGS,
        params: RevisionPath,
        querystring: WriteQuery,
        body: UndoBody,
        response: { 200: Undone, ...REFUSALS, 412: Conflict },
      },
    },
    async (request, reply) => {
      const force = request.body?.force ?? false;
      const write = writeOf(api, request);
      const outcome = await undo(api.context, write, request.params.revision, force);
      return sendReply(api, request, reply, outcome);
    },
  );
}

function restoreRoute(app: App, api: Api): void {
  app.post(
    `${REVISIONS}/:revision/restore`,
    {
      ...keyedRoute(api),
      schema: {
        operationId: 'restoreRevision',
        summary: 'Bring the whole document back to a revision, as a new commit',
        tags: TAGS,
        params: RevisionPath,
        querystring: WriteQuery,
        body: ConditionsBody,
        response: { 200: Type.Object({ restored: Type.Object(Made) }), ...REFUSALS },
      },
    },
    async (request, reply) => {
      const outcome = await restore(api.context, writeOf(api, request), request.params.revision);
      return sendReply(api, request, reply, outcome);
    },
  );
}

function keyedRoute(api: Api) {
  return { config: { needs: WRITES, keyed: true }, preValidation: idempotencyHook(api) };
}
