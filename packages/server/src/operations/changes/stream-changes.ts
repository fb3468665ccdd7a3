import { Type } from 'typebox';
import { readNoMoves, resolveTrail } from '../../service/changes/watch.ts';
import { openTable } from '../../service/open-table.ts';
import { invalidRequest, isRefusal } from '../../service/refusal.ts';
import { defineRead } from '../operation.ts';
import { REFUSALS } from '../schemas/answers.ts';
import { DocumentPath, defineQuery } from '../schemas/requests.ts';
import { CHANGE_EXAMPLE } from './examples.ts';
import { FOLLOW_OPTIONS, Incarnation, includesMoves, parseWatch, Since } from './follow-options.ts';

const REVISION = /^[0-9]{1,15}$/;

const Events = {
  description: 'The id of each event is a revision; its data is an entry of `changes`.',
  content: { 'text/event-stream': { schema: Type.String() } },
};

export const streamChanges = defineRead({
  id: 'streamChanges',
  http: { method: 'GET', path: '/documents/{document}/events' },
  requires: { scope: 'sheets.read' },
  tag: 'Changes',
  summary: 'Follow the changes of a document as server-sent events',
  description: 'Sends each change when it happens. `Last-Event-ID` (or `since`) resumes a broken stream.',
  params: DocumentPath,
  query: defineQuery({
    since: Type.Optional(Since),
    incarnation: Type.Optional(Incarnation),
    ...FOLLOW_OPTIONS,
  }),
  answers: { 200: Events, ...REFUSALS },
  example: { texts: { 'text/event-stream': `id: 42\nevent: change\ndata: ${JSON.stringify(CHANGE_EXAMPLE)}\n\n` } },

  async run({ context, document, lastEventId }, { since, incarnation = null, values, ...sentWatch }) {
    const start = lastEventId ?? since;
    if (start !== undefined && !REVISION.test(start)) {
      return invalidRequest('Last-Event-ID', 'Last-Event-ID must be a revision');
    }
    const watch = parseWatch(sentWatch);
    if (isRefusal(watch)) return watch;
    const snapshot = await openTable(context, document);
    if (isRefusal(snapshot)) return snapshot;
    // Refuses a range that cannot be followed before the stream begins.
    const trail = watch && (await resolveTrail(document, watch, snapshot, snapshot.revision, readNoMoves));
    if (isRefusal(trail)) return trail;
    const position = start === undefined ? snapshot.revision : Number(start);
    const from = { position, incarnation, watch, values: values === 'true', places: includesMoves(document) };
    return { kind: 'events', from };
  },
});
