export {
  countEntries,
  deleteRemovedDocument,
  insertAudits,
  insertNumberedAudits,
  type NewAuditEntry,
  removedDocument,
  removedDocuments,
} from './audit.ts';
export { documentsWithUnnumberedEntries, numberEntries } from './audit-numbers.ts';
export { logFilterValues, logPage, logTotal } from './document-log.ts';
export { auditPage, auditTokens, auditTotal } from './listed-entries.ts';
export { COMMAND_ORIGIN, toShownOrigin } from './origins.ts';
