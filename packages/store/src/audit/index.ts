export {
  auditPage,
  auditTokens,
  auditTotal,
  COMMAND,
  countEntries,
  forgetRemoved,
  insertAudits,
  insertNumbered,
  type NewEntry,
  removedDocument,
  removedDocuments,
  shownOrigin,
} from './audit.ts';
export { documentsWithUnnumberedEntries, numberEntries } from './audit-numbers.ts';
export { logKinds, logPage, logTotal } from './document-log.ts';
