import type { ColumnType, RecordType } from '@cellwire/engine';
import {
  type CellProblem,
  CLEARED,
  convertedCell,
  dateCell,
  plainCell,
  type TypedCell,
  type TypingWorld,
  textCell,
  typedCell,
} from '../typed-cells.ts';
import { isMembers } from './parse-filter.ts';

/** What a field's column says of its type: as it was sent, and as its cells are. */
export interface FieldColumn {
  readonly type: RecordType | null;
  readonly found: ColumnType;
}

/** Reads a field as its column's type has it, and never guesses: a text stays one unless the column holds dates. */
export function typedField(sent: unknown, column: FieldColumn, world: TypingWorld): TypedCell | CellProblem {
  if (sent === null || sent === '') return CLEARED;
  if (isMembers(sent)) return typedCell(sent, world);
  if (typeof sent !== 'string' && typeof sent !== 'number' && typeof sent !== 'boolean') {
    return { problem: 'must be a text, a number, a boolean, null or { "value", "as" }' };
  }
  if (column.type !== null) return convertedCell(sent, column.type, world);
  if (typeof sent !== 'string') return plainCell(sent);
  const date = column.found === 'date' ? dateCell(sent, world) : null;
  return date ?? textCell(sent, world);
}
