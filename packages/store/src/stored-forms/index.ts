// Values as they are stored, and their checksums. Calculation threads load these modules, and none that knows a database.
export {
  COMMIT_KEYS,
  PIECE_COLUMNS,
  SEALED_TABLES,
  type SealedTable,
  seal,
  sealMissing,
  selectPieces,
  takeSealed,
} from '../database/checksum.ts';
export { MAX_AREAS_LENGTH, MAX_COMMIT_AREAS } from '../database/limits.ts';
export type { StructureText } from '../database/structure-text.ts';
export {
  lacksRowOrders,
  parseAreas,
  type ReadAreas,
  rearrangementsOf,
  type StoredArea,
  type StoredAreas,
  type StoredRest,
  withRowOrders,
} from './areas.ts';
export { packedOrdersText } from './row-orders.ts';
export {
  isKnown,
  type KnownOperation,
  type Operation,
  parseStructure,
  type StoredOperation,
  structureTextOf,
} from './structure.ts';
