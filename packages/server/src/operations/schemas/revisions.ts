import { Type } from 'typebox';
import { DocumentPath, definePathSegment } from './requests.ts';

export const RevisionPath = Type.Object({
  ...DocumentPath.properties,
  revision: definePathSegment('Number of a revision.'),
});

const defineNullable = (type: 'string' | 'integer') => Type.Unsafe<unknown>({ type: [type, 'null'] });
export const Revision = Type.Object(
  {
    revision: Type.Integer(),
    at: Type.String({ format: 'date-time' }),
    userId: defineNullable('integer'),
    userName: defineNullable('string'),
    token: defineNullable('string'),
    requestId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Id of the request that wrote the revision.',
    }),
    origin: Type.String(),
    ranges: Type.Array(Type.String(), { description: 'Written cells, up to a limit.' }),
    cells: Type.Integer({ minimum: 0 }),
    name: Type.Optional(Type.String()),
    undoes: Type.Optional(Type.Integer({ description: 'The revision that this revision undoes.' })),
    undoneBy: Type.Optional(Type.Integer({ description: 'The revision that undoes this revision.' })),
    proposal: Type.Optional(Type.String({ description: 'The proposal that this revision applied.' })),
    appliedBy: Type.Optional(Type.Object({ id: Type.Integer(), name: Type.String() })),
  },
  { title: 'Revision' },
);

/** The revision that was undone or restored, and the commit that did it. */
export const RevertedRevision = Type.Object({
  revision: Type.Integer(),
  revisionId: Type.String({ description: 'The new revision.' }),
});
