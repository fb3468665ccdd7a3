export { REVISION_CONFLICT } from '../database/conflicts.ts';
export { ANYONE } from '../database/document-tables.ts';
export {
  BEFORE_ALL_CHUNKS,
  CHECKPOINT_CONFLICT,
  checkpointOf,
  checkpointRevision,
  checkpointSize,
  chunkSheets,
  chunkSizesAfter,
  chunkSizesBetween,
  chunksAfter,
  chunksBetween,
  chunksOf,
  chunksSize,
  columnsOfChunks,
  countChunks,
  deleteChunk,
  deleteChunksOfSheet,
  insertCheckpoint,
  lastBlockOf,
  putChunk,
  replaceCheckpoint,
} from './checkpoints.ts';
export {
  commitAreas,
  commitMoves,
  commitRearrangements,
  commitSummaries,
  commitWithHead,
  firstCommitAfter,
  rearrangementsSize,
} from './commit-changes.ts';
export {
  commitAt,
  commitsAfterCheckpoint,
  commitsFrom,
  deltasSize,
  insertCommit,
  newestCommit,
  rowOrdersOf,
} from './commits.ts';
export { storeCreationReply, storedCreationReply } from './creation-replies.ts';
export { ALIAS_TAKEN, aliasesAfter, aliasOf, deleteAlias, insertAlias } from './document-aliases.ts';
export {
  type DocumentListFilter,
  type DocumentListRow,
  documentsChangedSince,
  listedDocuments,
} from './document-lists.ts';
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
export { appendWebhookId, KEY_TAKEN, storedReply, storeReply } from './idempotency.ts';
export { createLease, leaseOf, releaseLease, renewLease } from './leases.ts';
export {
  type CommitLoss,
  databaseCommitQueries,
  describeLoss,
  findLosses,
  NEWEST_COMMITS_FILE,
  type NewestCommit,
  readNewestCommits,
  toDatabaseCommit,
  writeNewestCommits,
} from './newest-commits.ts';
export {
  deletePersonalFilter,
  deletePersonalFiltersOf,
  documentsFilteredBy,
  personalFilter,
  setPersonalFilter,
} from './personal-filters.ts';
export { copyProtection, deleteProtection, protectionsOf, setProtection } from './protections.ts';
export {
  beginRetainedCheckpoint,
  checkpointUnchanged,
  completeRetainedCheckpoint,
  copyChunksToRetained,
  deltasBetween,
  deltasBetweenSize,
  endRetainedCheckpoints,
  logBetweenSize,
  logSinceRetainedCheckpoint,
  newestRetainedCheckpoint,
  retainedCheckpoint,
  retainedChunkSizes,
  retainedChunks,
} from './retained-checkpoints.ts';
export {
  deleteOldAudit,
  deleteOldCommits,
  deleteOldCreationReplies,
  deleteOldReplies,
  deleteOldRetainedCheckpoints,
  deleteOldRetainedChunks,
  shortenRetainedCheckpoints,
} from './retention.ts';
export { dueDocuments, lastDocumentOfStep, oldestKeptRows, recordRetentionCheck } from './retention-state.ts';
export {
  commitFrom,
  firstUndone,
  historySize,
  inverseOf,
  laterCommits,
  markRedone,
  markUndo,
  markUndone,
  namedRevisions,
  namedRevisionsBefore,
  nameRevision,
  oldestRetained,
  REVISION_GONE,
  REVISION_UNDONE,
  retainedParent,
  retainedRevision,
  revisionBounds,
  revisionPage,
} from './revisions.ts';
export {
  accessDocument,
  deleteShare,
  isAccessibleTo,
  listedDocument,
  setShare,
  sharedWith,
  shareOfAnyone,
  sharesFor,
  sharesOfDocument,
} from './shares.ts';
export {
  documentsTrashedUntil,
  isGoneConflict,
  removeTrashedDocument,
  restoreFromTrash,
  setTrashedOwner,
  trashDocument,
  trashedDocument,
  trashedDocumentsAfter,
  trashedDocumentsOf,
  trashedIdsOf,
} from './trash.ts';
export {
  abandonCreation,
  beginCreation,
  continueCreation,
  endCreation,
  endRemoval,
  purgeSteps,
  removeDocument,
  removeReplacedDocument,
  unfinishedDocuments,
} from './unfinished.ts';
export { createWriteProbe } from './write-probe.ts';
