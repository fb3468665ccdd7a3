import { type Static, Type } from 'typebox';
import { MAX_PROPOSAL_NOTE_LENGTH } from '../../limits/proposals.ts';
import { MAX_CURSOR_LENGTH, MAX_REVISION_LENGTH } from '../../limits/records.ts';
import { Time } from './answers.ts';
import { DocumentPath, defineCount, defineOptionalBody, definePathSegment, defineQuery } from './requests.ts';

export const PROPOSALS_TAG = 'Proposals';

export const ProposalPath = Type.Object({
  ...DocumentPath.properties,
  proposal: definePathSegment('Id of a proposal.'),
});

export const ProposalsQuery = defineQuery({
  state: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_LENGTH,
      description: 'Only proposals in this state: open, applied, rejected, withdrawn or expired.',
    }),
  ),
  limit: Type.Optional(defineCount(1, '50 by default, at most 200.')),
  cursor: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_LENGTH,
      description: '`nextCursor` of the previous page, with the same `state`.',
    }),
  ),
});

const REASON = {
  reason: Type.Optional(
    Type.String({ maxLength: MAX_PROPOSAL_NOTE_LENGTH, description: 'Reason, shown with the decision.' }),
  ),
};
export const DecisionBody = defineOptionalBody(REASON);
export type DecisionBody = Static<typeof DecisionBody>;

const IF_REVISION = 'Applies the proposal only if the document has this revision; otherwise 412.';
const IfRevision = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  maxLength: MAX_REVISION_LENGTH,
  maximum: Number.MAX_SAFE_INTEGER,
  description: IF_REVISION,
});
export const ApplyBody = defineOptionalBody({ ...REASON, ifRevision: Type.Optional(IfRevision) });
export const ApplyQuery = defineQuery({
  ifRevision: Type.Optional(Type.String({ maxLength: MAX_REVISION_LENGTH, description: IF_REVISION })),
});

const TextOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' });
const NamedUser = Type.Object({ id: Type.Integer(), name: Type.String() });
/** The schema of an optional object with the texts `before` and `after`. */
const TextChange = (description: string) =>
  Type.Optional(Type.Object({ before: TextOrNull, after: TextOrNull }, { description }));
const SheetChange = Type.Object({
  change: Type.Unsafe<string>({
    type: 'string',
    enum: ['add', 'rename', 'delete', 'hide', 'show', 'move', 'color'],
    description: 'What happens to the sheet; `color`: its tab gets another colour.',
  }),
  sheet: Type.String({ description: 'Name of the sheet after the write; its present name if it is deleted.' }),
  before: Type.Optional(Type.String({ description: 'The present name of a renamed sheet.' })),
  position: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Position of an added or moved sheet after the write, from 1.' }),
  ),
});
const MovedRange = Type.Object({
  from: Type.Optional(Type.String({ description: 'Range before the write; absent: it is inserted.' })),
  to: Type.Optional(Type.String({ description: 'Range after the write; absent: it is deleted.' })),
});
const SettingChange = Type.Object({
  setting: Type.Unsafe<string>({
    type: 'string',
    enum: ['name', 'table', 'filter', 'layout'],
    description:
      '`name`: a defined name, with its formula as in reads of cells; `layout`: sizes, groups, notes, rules or other parts of a sheet.',
  }),
  change: Type.Unsafe<string>({ type: 'string', enum: ['add', 'change', 'delete'] }),
  name: Type.String({ description: 'The defined name or the table; of a filter or layout the sheet.' }),
  before: Type.Optional(
    Type.String({ description: 'Before the write: the formula of a name, or the range of a table or filter.' }),
  ),
  after: Type.Optional(Type.String({ description: 'The same after the write.' })),
  columns: Type.Optional(
    Type.Array(Type.String(), { description: 'Letters of the columns whose conditions change in a filter.' }),
  ),
});
const Shown = Type.Unsafe<unknown>({ type: ['string', 'number', 'boolean', 'null', 'object'] });

const LISTED = {
  id: Type.String(),
  document: Type.String(),
  title: TextOrNull,
  note: TextOrNull,
  state: Type.Unsafe<string>({ type: 'string', enum: ['open', 'applied', 'rejected', 'withdrawn', 'expired'] }),
  action: Type.String({ description: 'The name of the write in the audit log.' }),
  proposedBy: NamedUser,
  token: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Name of the token that made the proposal.',
  }),
  origin: Type.String(),
  createdAt: Time,
  expiresAt: Time,
  baseRevision: Type.Integer({ description: 'The revision for which the preview was computed.' }),
  conflicts: Type.Array(Type.String(), {
    description: 'Ranges that differ from the preview; empty: the proposal can be applied.',
  }),
  summary: Type.Object({
    written: Type.Integer({ minimum: 0, description: 'Cells that the write changes.' }),
    derived: Type.Integer({ minimum: 0, description: 'Cells that are recalculated as a result.' }),
    sheets: Type.Array(Type.String()),
  }),
  decidedBy: Type.Unsafe<Static<typeof NamedUser> | null>({ ...NamedUser, type: ['object', 'null'] }),
  decidedAt: TimeOrNull,
  reason: TextOrNull,
  revisionId: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The revision that applied the proposal.',
  }),
  hidden: Type.Optional(
    Type.Boolean({ description: '`true`: some changes are left out because their sheets are hidden from the caller.' }),
  ),
  damaged: Type.Optional(
    Type.Boolean({ description: '`true`: the stored proposal is damaged, and can be neither read nor decided.' }),
  ),
};
export const ListedProposal = Type.Object(LISTED, { title: 'ListedProposal' });
const Proposal = Type.Object(
  {
    ...LISTED,
    changes: Type.Array(
      Type.Object({
        cell: Type.String({
          description: 'Position after the write. A deleted cell has its position before the write.',
        }),
        before: Shown,
        after: Shown,
        derived: Type.Optional(Type.Boolean({ description: 'The cell is recalculated, not written.' })),
        deleted: Type.Optional(Type.Boolean({ description: 'The cell itself is deleted.' })),
      }),
      { description: 'The changed cells, up to 1,000.' },
    ),
    texts: Type.Array(
      Type.Object({
        shown: TextChange(
          'The values as the grid shows them, with their number formats; absent if it shows them as JSON has them.',
        ),
        formulas: TextChange(
          'The formulas, written as in reads of cells; null: no formula. Absent if the formula does not change.',
        ),
      }),
      { description: 'What a person sees of the changed cells: one entry for each of `changes`, in the same order.' },
    ),
    truncated: Type.Boolean({ description: 'There are more changes.' }),
    sheetChanges: Type.Array(SheetChange, {
      description: 'Sheets that are added, renamed, deleted, hidden, shown, moved or coloured.',
    }),
    moves: Type.Array(MovedRange, {
      description: 'Rows (`Orders!5:7`), columns and cells that are inserted, deleted or moved, up to 100.',
    }),
    settingChanges: Type.Array(SettingChange, {
      description: 'Names, tables, filters and layouts that change by more than moving with their cells, up to 100.',
    }),
  },
  { title: 'Proposal' },
);
export const ProposalAnswer = Type.Object({ proposal: Proposal });

const NotOpen = Type.Object(
  {
    message: Type.String(),
    revisionId: Type.Optional(Type.String()),
    conflicts: Type.Optional(Type.Array(Type.String(), { description: 'Ranges that have changed since the preview.' })),
    state: Type.Optional(Type.String({ description: 'State of a proposal that is not open.' })),
    decidedBy: Type.Optional(Type.Unsafe<unknown>({ ...NamedUser, type: ['object', 'null'] })),
    decidedAt: Type.Optional(TimeOrNull),
  },
  { title: 'ProposalConflict' },
);
export const DECISION_ANSWERS = { 200: ProposalAnswer, 412: NotOpen };
