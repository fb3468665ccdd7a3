export {
  auditPage,
  auditTokens,
  auditTotal,
  COMMAND_ORIGIN,
  countEntries,
  deleteRemovedDocument,
  insertAudits,
  insertNumbered,
  type NewAuditEntry,
  removedDocument,
  removedDocuments,
  shownOrigin,
} from './audit.ts';
export { documentsWithUnnumberedEntries, numberEntries } from './audit-numbers.ts';
export { logFilterValues, logPage, logTotal } from './document-log.ts';
