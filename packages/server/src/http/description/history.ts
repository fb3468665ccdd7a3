import type { Words } from './words.ts';

const AT = '2026-11-20T23:11:24.382Z';
const CHANGE = {
  revision: 42,
  changedAt: AT,
  origin: 'api',
  sourceToken: 'import',
  author: { id: 1, name: 'Owner' },
  cellCount: 1,
  ranges: ['Orders!B3'],
  derived: ['Summary!F5'],
  truncated: false,
  structure: [],
  incarnation: '3b1f0e5a-8f57-4a51-9e0c-6d6a2d7c4f02',
};
const REVISION = {
  revision: 42,
  at: AT,
  userId: 1,
  userName: 'Owner',
  token: 'import',
  requestId: '7e0b1f9c-2f4e-4f0e-9d2a-0d4f6f0c5b11',
  origin: 'api',
  ranges: ['Orders!B3'],
  cells: 1,
};

/** What happened to a document. */
export const HISTORY_WORDS: Words = {
  listChanges: {
    description:
      'Commits after a revision, oldest first, to follow a document by asking. `gap` says that some are not there any more: read anew.',
    answer: {
      changes: {
        entries: [CHANGE],
        revision: 42,
        next: 42,
        hasMore: false,
        incarnation: CHANGE.incarnation,
        gap: false,
      },
    },
  },
  streamChanges: {
    description: 'The same as they come. `Last-Event-ID` (or `since`) goes on where a connection broke off.',
    texts: { 'text/event-stream': `id: 42\nevent: change\ndata: ${JSON.stringify(CHANGE)}\n\n` },
  },
  listRevisions: {
    description: 'Who wrote what, the newest first; values are read with `?revision=`.',
    answer: { revisions: { entries: [REVISION], total: 1, offset: 0, limit: 50 } },
  },
  nameRevision: {
    description: 'A revision with a name is kept beyond the bounds of history.',
    request: { name: 'Before the audit' },
    answer: { revision: { ...REVISION, name: 'Before the audit' } },
  },
  undoRevision: {
    description:
      'Takes one commit back as a new one. What others have written there since is named with 412, unless `force` says to overwrite it.',
    request: { force: false },
    answer: { undone: { revision: 42, revisionId: '43' } },
  },
  restoreRevision: {
    description: 'Brings the whole document back to a revision, as a new commit that can be undone.',
    answer: { restored: { revision: 40, revisionId: '44' } },
  },
  getAudit: {
    description:
      'Changes made through the API and integrations, newest first, with the names of all tokens in the log.',
    answer: {
      audit: {
        entries: [
          {
            id: 10,
            action: 'update',
            origin: 'api',
            userId: 1,
            userName: 'Owner',
            token: 'import',
            requestId: '7e0b1f9c-2f4e-4f0e-9d2a-0d4f6f0c5b11',
            properties: { range: 'Orders!B3', cells: 1 },
            createdAt: AT,
          },
        ],
        total: 10,
        offset: 0,
        limit: 50,
        tokens: ['import'],
      },
    },
  },
};
