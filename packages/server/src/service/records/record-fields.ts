import {
  type CellType,
  type ColumnContents,
  countContentsInSteps,
  findColumn,
  findMainType,
  isSameHeader,
  type RecordType,
  type Region,
  type Snapshot,
} from '@cellwire/engine';
import type { LimitSettings } from '../../config/types.ts';
import { type TypingContext, toCellRefusal } from '../cells/typed-cells.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { RecordMembers } from './parse-filter.ts';
import { type ColumnNames, createUnknownColumnRefusal } from './resolve-filter.ts';
import { isProblem, parseTypedField, type RecordField } from './typed-fields.ts';

/** Above this number of fields, a map is faster than a search. */
const MAX_SEARCHED_FIELDS = 16;

/** The columns of a record's fields. Consecutive records with the same names share it. */
class FieldLayout {
  /** The names of the fields, in the order of the request. */
  readonly names: readonly string[];
  /**
   * Column indexes of the fields in the region, in the order of the fields, up to the first field that has no column of
   * its own.
   */
  readonly places: readonly number[];
  /** Types that the request gives these columns. */
  readonly types: readonly (RecordType | null)[];
  private readonly indexes: ReadonlyMap<number, number> | null;

  constructor(names: readonly string[], places: readonly number[], types: ReadonlyMap<number, RecordType>) {
    this.names = names;
    this.places = places;
    this.types = places.map((at) => types.get(at) ?? null);
    const isLong = places.length > MAX_SEARCHED_FIELDS;
    this.indexes = isLong ? new Map(places.map((at, index) => [at, index])) : null;
  }

  /** The index of the field of a column; -1 for none. */
  findFieldIndex(columnIndex: number): number {
    // Most records name all columns in the order of the region.
    if (this.places[columnIndex] === columnIndex) return columnIndex;
    return this.indexes === null ? this.places.indexOf(columnIndex) : (this.indexes.get(columnIndex) ?? -1);
  }

  hasNames(names: readonly string[]): boolean {
    if (names.length !== this.names.length) return false;
    for (let i = 0; i < names.length; i++) if (names[i] !== this.names[i]) return false;
    return true;
  }
}

/** The fields of a record by column index in the region. */
export class RecordFields {
  /** The fields, in the order of the request. */
  readonly values: readonly RecordField[];
  private readonly layout: FieldLayout;

  constructor(layout: FieldLayout, values: readonly RecordField[]) {
    this.layout = layout;
    this.values = values;
  }

  /** The column indexes of `values`. */
  get places(): readonly number[] {
    return this.layout.places;
  }

  getField(columnIndex: number): RecordField | undefined {
    return this.values[this.layout.findFieldIndex(columnIndex)];
  }
}

/** Maximum names of a request whose columns are kept. */
const MAX_KNOWN_NAMES = 1_024;

/** Parses fields by the types in the request. */
export class FieldTyper {
  private readonly names: ColumnNames;
  private readonly types: ReadonlyMap<number, RecordType>;
  private readonly world: TypingContext;
  /** Columns by the names in the request that were looked up so far. */
  private readonly known = new Map<string, number>();
  /** The layout of the last record. */
  private layout: FieldLayout;

  constructor(
    { settings }: Snapshot,
    names: ColumnNames,
    { types, limits }: { readonly types: ReadonlyMap<number, RecordType>; readonly limits: LimitSettings },
  ) {
    this.names = names;
    this.types = types;
    this.world = { system: settings.dateSystem, limits };
    this.layout = new FieldLayout([], [], types);
  }

  /**
   * Parses the fields of a record, or refuses the first invalid one. `path`: the record's path in the request, or that
   * of a list and the record's index in it.
   */
  parseFields(record: RecordMembers, ...path: readonly [string, number?]): RecordFields | Refusal {
    const names = Object.keys(record);
    if (!this.layout.hasNames(names)) this.layout = this.buildLayout(names);
    const { layout } = this;
    const { places, types } = layout;
    const values: RecordField[] = [];
    for (let i = 0; i < places.length; i++) {
      const name = names[i] as string;
      const typed = parseTypedField(record[name], types[i] ?? null, this.world);
      if (isProblem(typed)) return toCellRefusal([...path, name].join('.'), typed);
      values.push(typed);
    }
    const refused = names[places.length];
    return refused === undefined
      ? new RecordFields(layout, values)
      : this.createUnusableColumnRefusal(refused, [...path, refused].join('.'));
  }

  /** Finds the columns of the fields of a record. Stops at the first name without a column or with the column of another name. */
  private buildLayout(names: readonly string[]): FieldLayout {
    const places = new Set<number>();
    for (const name of names) {
      const at = this.known.get(name) ?? this.names.findColumn(name);
      if (at === null || places.has(at)) break;
      if (this.known.size < MAX_KNOWN_NAMES) this.known.set(name, at);
      places.add(at);
    }
    return new FieldLayout(names, [...places], this.types);
  }

  /** `name` names no column, or the column of another field; `field`: its place in the request. */
  private createUnusableColumnRefusal(name: string, field: string): Refusal {
    if (this.names.findColumn(name) === null) return createUnknownColumnRefusal(name, field);
    return invalidRequest(field, `${field} is the same column as another field`);
  }

  /** Parses the fields of many records. Yields regularly. */
  *parseAllFields(records: readonly RecordMembers[]): Generator<void, readonly RecordFields[] | Refusal> {
    const typed: RecordFields[] = [];
    for (let i = 0; i < records.length; i++) {
      const fields = this.parseFields(records[i] as RecordMembers, 'records', i);
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

  /**
   * Reads the contents by column index in the region. The first call, and a call after a changed header, yields
   * regularly.
   */
  *readStartColumns(snapshot: Snapshot, region: Region): Generator<void, readonly StartColumn[]> {
    if (this.region !== null && isSameHeader(this.region, region)) return this.columns;
    const columns: StartColumn[] = [];
    for (const at of region.columns.keys()) {
      const contents = yield* countContentsInSteps(
        snapshot,
        findColumn(snapshot, region, at),
        region.header + 1,
        region.end,
      );
      columns.push({ type: findMainType(contents), contents });
      if (at % COLUMNS_PER_STEP === COLUMNS_PER_STEP - 1) yield;
    }
    this.region = region;
    this.columns = columns;
    return columns;
  }
}
