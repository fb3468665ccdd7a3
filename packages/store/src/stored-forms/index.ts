// Stored forms of values, and their checksums. Calculation threads load these modules, so they must not import a
// database.
export {
  adoptSealedPiece,
  allocateSealable,
  COMMIT_KEYS,
  DamagedDocumentError,
  listCheckedColumns,
  markSealable,
  SEALED_TABLES,
  type SealedTable,
  sealMissing,
  sealPiece,
  selectPieces,
  TRAILER_BYTES,
} from '../database/checksum.ts';
export {
  acceptRow,
  INDEPENDENT_TABLES,
  isIndependentTable,
  listIndependentColumns,
  listKeyColumns,
  selectIndependentRows,
} from '../database/independent-rows.ts';
export { MAX_AREAS_LENGTH, MAX_COMMIT_AREAS } from '../database/limits.ts';
export { allocatePooledBytes } from '../database/pooled-bytes.ts';
export type { StructureText } from '../database/structure-text.ts';
export type { IndependentTable } from '../database/sum-groups.ts';
export {
  addRowOrders,
  lacksRowOrders,
  listRearrangements,
  type ParsedAreas,
  parseAreas,
  type StoredArea,
  type StoredAreaRemainder,
  type StoredAreas,
} from './areas.ts';
export { formatPackedOrders } from './row-orders.ts';
export { createDamageError, parseStoredJson, parseStoredList } from './stored-json.ts';
export {
  formatStructure,
  isKnownOperation,
  type KnownOperation,
  parseStructure,
  type StoredOperation,
  type StructureOperation,
} from './structure.ts';
