export { REVISION_CONFLICT } from '../database/conflicts.ts';
export { ANYONE } from '../database/document-tables.ts';
export {
  baseChunkSizes,
  baseChunksOf,
  baseOf,
  beginBase,
  checkpointUnchanged,
  completeBase,
  copyChunks,
  deltasBetween,
  deltasBetweenSize,
  endBases,
  logBetweenSize,
  logSinceBase,
  newestBase,
} from './bases.ts';
export {
  commitAreas,
  commitHeads,
  commitMoves,
  commitNamed,
  commitRearrangements,
  firstCommitAfter,
  rearrangementsSize,
} from './changes.ts';
export {
  BEFORE_ALL_CHUNKS,
  CHECKPOINT_CONFLICT,
  checkpointOf,
  checkpointRevision,
  chunkSheets,
  chunkSizesAfter,
  chunksAfter,
  chunksOf,
  chunksSize,
  deleteChunk,
  deleteChunksOfSheet,
  insertCheckpoint,
  metaSize,
  putChunk,
  replaceCheckpoint,
} from './checkpoints.ts';
export { commitAt, commitsAfterCheckpoint, commitsFrom, deltasSize, insertCommit, rowOrdersOf } from './commits.ts';
export { ALIAS_TAKEN, aliasesAfter, aliasOf, deleteAlias, insertAlias } from './document-aliases.ts';
export { type DocumentListFilter, documentsChangedSince, type ListedRow, listedDocuments } from './document-lists.ts';
export {
  advanceDocument,
  DOCUMENT_GONE,
  documentById,
  documentHead,
  documentIdsAfter,
  documentsOwnedBy,
  documentUnchanged,
  insertDocument,
  recalculateDocument,
  renameDocument,
  setDocumentFormat,
  setOwner,
} from './documents.ts';
export { filePartsOf, insertFilePart } from './file-parts.ts';
export { appendWebhookId, KEY_TAKEN, keepReply, keptReply } from './idempotency.ts';
export { beatLease, endLease, leaseOf, makeLease } from './leases.ts';
export { keepMaking, keptMaking } from './makings.ts';
export {
  findDocument,
  foundDocument,
  type Loss,
  lossesIn,
  lossText,
  NEWEST_COMMITS_FILE,
  type Position,
  readNewestCommits,
  writeNewestCommits,
} from './newest-commits.ts';
export {
  deletePersonalFilter,
  deletePersonalFiltersOf,
  documentsFilteredBy,
  personalFilter,
  setPersonalFilter,
} from './personal-filters.ts';
export { probe } from './probe.ts';
export { copyProtection, deleteProtection, protectionsOf, setProtection } from './protections.ts';
export {
  deleteOldAudit,
  deleteOldBaseChunks,
  deleteOldBases,
  deleteOldCommits,
  deleteOldMakings,
  deleteOldReplies,
  shortenBases,
} from './retention.ts';
export { dueDocuments, endOfStep, oldestKeptRows, recordLook } from './retention-state.ts';
export {
  commitFrom,
  firstTakenBack,
  historySize,
  inverseOf,
  keptParent,
  keptRevision,
  laterCommits,
  markRedone,
  markUndo,
  markUndone,
  namedRevisions,
  namedRevisionsBefore,
  nameRevision,
  oldestKept,
  REVISION_GONE,
  REVISION_TAKEN_BACK,
  revisionBounds,
  revisionPage,
} from './revisions.ts';
export {
  accessDocument,
  deleteShare,
  isOpenTo,
  listedDocument,
  setShare,
  sharedWith,
  shareOfAnyone,
  sharesFor,
  sharesOf,
} from './shares.ts';
export {
  isGone,
  removeTrashed,
  restoreTrashed,
  setTrashedOwner,
  trashDocument,
  trashedAfter,
  trashedDocument,
  trashedIdsOf,
  trashedOf,
  trashedUntil,
} from './trash.ts';
export {
  abandonCreation,
  beginCreation,
  continueCreation,
  endCreation,
  endRemoval,
  makeRoomFor,
  purges,
  removeDocument,
  unfinishedDocuments,
} from './unfinished.ts';
