import {
  type ColumnType,
  columnOf,
  kindSteps,
  type RecordType,
  type Region,
  type Snapshot,
  typeOf,
} from '@cellwire/engine';
import type { LimitSettings } from '../../config/types.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { cellRefusal, type TypedCell, type TypingWorld } from '../typed-cells.ts';
import type { Members } from './parse-filter.ts';
import { type ColumnNames, noColumn } from './resolve-filter.ts';
import { typedField } from './typed-fields.ts';

/** A record's fields by their columns' places among the region's. */
export type RecordFields = ReadonlyMap<number, TypedCell>;

/** How fields are read: by the types that were sent, else by what the columns hold. */
export class FieldTyper {
  private readonly names: ColumnNames;
  private readonly types: ReadonlyMap<number, RecordType>;
  private readonly found: readonly ColumnType[];
  private readonly world: TypingWorld;

  constructor(
    { settings }: Snapshot,
    found: readonly ColumnType[],
    names: ColumnNames,
    { types, limits }: { readonly types: ReadonlyMap<number, RecordType>; readonly limits: LimitSettings },
  ) {
    this.names = names;
    this.types = types;
    this.found = found;
    this.world = { system: settings.dateSystem, limits };
  }

  /** The fields of a record, or what is wrong with the first bad one; `place` names the record in the request. */
  fields(record: Members, place: string): RecordFields | Refusal {
    const fields = new Map<number, TypedCell>();
    for (const [name, sent] of Object.entries(record)) {
      const field = `${place}.${name}`;
      const at = this.names.find(name);
      if (at === null) return noColumn(name, field);
      if (fields.has(at)) return invalidRequest(field, `${field} is the same column as another field`);
      const typed = typedField(
        sent,
        { type: this.types.get(at) ?? null, found: this.found[at] ?? 'empty' },
        this.world,
      );
      if ('problem' in typed) return cellRefusal(field, typed);
      fields.set(at, typed);
    }
    return fields;
  }

  /** The same for many. Pauses now and then. */
  *all(records: readonly Members[]): Generator<void, readonly RecordFields[] | Refusal> {
    const typed: RecordFields[] = [];
    for (const [i, record] of records.entries()) {
      const fields = this.fields(record, `records.${i}`);
      if (isRefusal(fields)) return fields;
      typed.push(fields);
      if (i % RECORDS_A_STEP === 0) yield;
    }
    return typed;
  }
}

/** Records between two pauses. */
export const RECORDS_A_STEP = 256;

/** Columns between two pauses. */
const COLUMNS_A_STEP = 128;

/** What the filled cells of each of a region's columns are. Pauses where nobody has asked before. */
export function* foundTypes(snapshot: Snapshot, region: Region): Generator<void, readonly ColumnType[]> {
  const found: ColumnType[] = [];
  for (const at of region.columns.keys()) {
    const column = columnOf(snapshot, region, at);
    found.push(typeOf(yield* kindSteps(snapshot, column, region.header + 1, region.end)));
    if (at % COLUMNS_A_STEP === COLUMNS_A_STEP - 1) yield;
  }
  return found;
}
