const LISTED = {
  id: '3f0e7a52-9c1b-4d0f-8f63-2f0f7a1c9b11',
  document: '6f0c0b9e-1d7e-4c42-9a44-2e1b7f6f0a11',
  title: 'Correct the VAT',
  note: null,
  state: 'open',
  action: 'update',
  proposedBy: { id: 7, name: 'Ben' },
  token: 'assistant',
  origin: 'agent',
  createdAt: '2026-03-26T08:30:00.000Z',
  expiresAt: '2026-04-09T08:30:00.000Z',
  baseRevision: 42,
  conflicts: [],
  summary: { written: 1, derived: 1, sheets: ['Orders'] },
  decidedBy: null,
  decidedAt: null,
  reason: null,
  revisionId: null,
};

/** An open proposal in lists. */
export const LISTED_PROPOSAL_EXAMPLE = LISTED;

export const PROPOSAL_EXAMPLE = {
  ...LISTED,
  changes: [
    { cell: 'Orders!B3', before: 99, after: 120 },
    { cell: 'Orders!B9', before: 860, after: 881, derived: true },
  ],
  texts: [{ shown: { before: '99.00', after: '120.00' } }, { shown: { before: '860.00', after: '881.00' } }],
  truncated: false,
  sheetChanges: [],
  moves: [],
  settingChanges: [],
};

/** Creates an example of a proposal after a decision. */
export function createDecidedExample(state: 'applied' | 'rejected' | 'withdrawn') {
  return {
    ...PROPOSAL_EXAMPLE,
    state,
    decidedBy: { id: 3, name: 'Ada' },
    decidedAt: '2026-03-26T09:00:00.000Z',
    reason: state === 'rejected' ? 'The rate is right' : null,
    revisionId: state === 'applied' ? '43' : null,
  };
}
