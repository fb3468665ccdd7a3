import {
  type CellType,
  type ColumnContents,
  columnOf,
  contentsSteps,
  isSameHeader,
  mainType,
  type RecordType,
  type Region,
  type Snapshot,
} from '@cellwire/engine';
import type { LimitSettings } from '../../config/types.ts';
import { cellRefusal, type TypingContext } from '../cells/typed-cells.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { RecordMembers } from './parse-filter.ts';
import { type ColumnNames, noColumn } from './resolve-filter.ts';
import { type RecordField, typedField } from './typed-fields.ts';

/** More fields than this are found by a map. */
const MAX_SEARCHED_FIELDS = 16;

/** The fields of a record by column index in the region. Takes a fraction of the memory of a map. */
export class RecordFields {
  /** Column indexes, in the order of the request. */
  readonly places: number[] = [];
  /** The fields in the same order. */
  readonly values: RecordField[] = [];
  private indexes: Map<number, number> | null = null;

  get(at: number): RecordField | undefined {
    // Most records name all columns in their order.
    if (this.places[at] === at) return this.values[at];
    const index = this.indexes === null ? this.places.indexOf(at) : (this.indexes.get(at) ?? -1);
    return index < 0 ? undefined : this.values[index];
  }

  /** Adds a field of a column that has none. */
  add(at: number, field: RecordField): void {
    this.places.push(at);
    this.values.push(field);
    if (this.indexes !== null) this.indexes.set(at, this.places.length - 1);
    else if (this.places.length > MAX_SEARCHED_FIELDS) {
      this.indexes = new Map(this.places.map((place, index) => [place, index]));
    }
  }
}

/** Maximum names of a request whose columns are kept. */
const MAX_KNOWN_NAMES = 1_024;

/** Parses fields by the types in the request. */
export class FieldTyper {
  private readonly names: ColumnNames;
  private readonly types: ReadonlyMap<number, RecordType>;
  private readonly world: TypingContext;
  /** Columns by the names in the request, as far as they were looked up. */
  private readonly known = new Map<string, number>();

  constructor(
    { settings }: Snapshot,
    names: ColumnNames,
    { types, limits }: { readonly types: ReadonlyMap<number, RecordType>; readonly limits: LimitSettings },
  ) {
    this.names = names;
    this.types = types;
    this.world = { system: settings.dateSystem, limits };
  }

  /** The fields of a record, or the refusal of the first invalid one; `place` is the record's path in the request. */
  fields(record: RecordMembers, place: string): RecordFields | Refusal {
    const fields = new RecordFields();
    for (const name of Object.keys(record)) {
      const at = this.known.get(name) ?? this.names.find(name);
      if (at === null) return noColumn(name, `${place}.${name}`);
      if (this.known.size < MAX_KNOWN_NAMES) this.known.set(name, at);
      if (fields.get(at) !== undefined) {
        const field = `${place}.${name}`;
        return invalidRequest(field, `${field} is the same column as another field`);
      }
      const typed = typedField(record[name], this.types.get(at) ?? null, this.world);
      if ('problem' in typed) return cellRefusal(`${place}.${name}`, typed);
      fields.add(at, typed);
    }
    return fields;
  }

  /** Parses the fields of many records. Yields regularly. */
  *allFields(records: readonly RecordMembers[]): Generator<void, readonly RecordFields[] | Refusal> {
    const typed: RecordFields[] = [];
    for (const [i, record] of records.entries()) {
      const fields = this.fields(record, `records.${i}`);
      if (isRefusal(fields)) return fields;
      typed.push(fields);
      if (i % RECORDS_PER_STEP === 0) yield;
    }
    return typed;
  }
}

/** Records parsed between two pauses. */
export const RECORDS_PER_STEP = 256;

/** Columns parsed between two pauses. */
const COLUMNS_PER_STEP = 128;

/** The contents of a column when a request starts. */
export interface StartColumn {
  /** The type of most filled cells; null: no cell is filled. */
  readonly type: CellType | null;
  readonly contents: ColumnContents;
}

/**
 * The contents of a region's columns at the revision at which a request or stream starts. Later writes, of the stream's
 * own batches and of others, do not change how its texts are read.
 */
export class StartColumns {
  private region: Region | null = null;
  private columns: readonly StartColumn[] = [];

  /** By column index in the region. The first call, and a call after a changed header, yields regularly. */
  *startColumns(snapshot: Snapshot, region: Region): Generator<void, readonly StartColumn[]> {
    if (this.region !== null && isSameHeader(this.region, region)) return this.columns;
    const columns: StartColumn[] = [];
    for (const at of region.columns.keys()) {
      const contents = yield* contentsSteps(snapshot, columnOf(snapshot, region, at), region.header + 1, region.end);
      columns.push({ type: mainType(contents), contents });
      if (at % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
    }
    this.region = region;
    this.columns = columns;
    return columns;
  }
}
