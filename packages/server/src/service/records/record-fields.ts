import {
  type CellType,
  type ColumnContents,
  countContentsInSteps,
  findColumn,
  findMainType,
  isSameHeader,
  parseMoment,
  type RecordType,
  type Region,
  type Snapshot,
} from '@cellwire/engine';
import type { LimitSettings } from '../../config/types.ts';
import { type TypingContext, toCellRefusal } from '../cells/typed-cells.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';
import { type ColumnNames, createUnknownColumnRefusal } from './resolve-filter.ts';
import { ASCII, BOOLEAN, type FieldNames, NUMBER, OTHER, readPlainValue, type SentRecords } from './sent-records.ts';
import { isProblem, parseTypedField, type RecordField } from './typed-fields.ts';

/** Above this number of fields, a map is faster than a search. */
const MAX_SEARCHED_FIELDS = 16;

/** The columns of a record's fields. Records with the same names share it. */
class FieldLayout {
  /**
   * Column indexes of the fields in the region, in the order of the fields, up to the first field that has no column of
   * its own.
   */
  readonly places: readonly number[];
  /** Types that the request gives these columns. */
  readonly types: readonly (RecordType | null)[];
  private readonly indexes: ReadonlyMap<number, number> | null;

  constructor(places: readonly number[], types: ReadonlyMap<number, RecordType>) {
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
}

/**
 * The parsed fields of records, in arrays. A field is a number, a boolean or an ASCII text, or `OTHER` with its
 * position in `others`.
 */
export class RecordFields {
  readonly count: number;
  /** The arrays of `SentRecords`; copies after a field was replaced. */
  kinds: Uint8Array;
  numbers: Float64Array;
  readonly textStarts: Uint32Array;
  readonly textEnds: Uint32Array;
  readonly bytes: Buffer;
  private readonly firstFields: Uint32Array;
  private readonly fieldCount: number;
  private readonly others: RecordField[] = [];
  /** The layout of each record. */
  private readonly layouts: FieldLayout[] = [];

  constructor({ count, kinds, numbers, textStarts, textEnds, bytes, firstFields, fieldCount }: SentRecords) {
    this.count = count;
    this.kinds = kinds;
    this.numbers = numbers;
    this.textStarts = textStarts;
    this.textEnds = textEnds;
    this.bytes = bytes;
    this.firstFields = firstFields;
    this.fieldCount = fieldCount;
  }

  addLayout(layout: FieldLayout): void {
    this.layouts.push(layout);
  }

  replaceField(field: number, content: RecordField): void {
    if (this.others.length === 0) {
      this.kinds = this.kinds.slice(0, this.fieldCount);
      this.numbers = this.numbers.slice(0, this.fieldCount);
    }
    this.kinds[field] = OTHER;
    this.numbers[field] = this.others.push(content) - 1;
  }

  /** The column indexes of a record's fields, in the order of the request. */
  getColumns(record: number): readonly number[] {
    return (this.layouts[record] as FieldLayout).places;
  }

  /** The first field of a record. The others follow. */
  getFirstField(record: number): number {
    return this.firstFields[record] as number;
  }

  /** The field of a column; null if the record does not have it. */
  findField(record: number, columnIndex: number): number | null {
    const index = (this.layouts[record] as FieldLayout).findFieldIndex(columnIndex);
    return index < 0 ? null : this.getFirstField(record) + index;
  }

  /** The content of a field. */
  readField(field: number): RecordField {
    if (this.kinds[field] !== OTHER) return readPlainValue(this, field);
    return this.others[this.numbers[field] as number] as RecordField;
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
  /** The names of the last record, and their layout. */
  private lastNames: FieldNames | null = null;
  private layout: FieldLayout;

  constructor(
    { settings }: Snapshot,
    names: ColumnNames,
    { types, limits }: { readonly types: ReadonlyMap<number, RecordType>; readonly limits: LimitSettings },
  ) {
    this.names = names;
    this.types = types;
    this.world = { system: settings.dateSystem, limits };
    this.layout = new FieldLayout([], types);
  }

  /** Parses the fields of records, or refuses the first invalid field. Yields regularly. */
  *parseAllFields(sent: SentRecords, formatPath = formatRecordPath): Generator<void, RecordFields | Refusal> {
    const fields = new RecordFields(sent);
    for (let i = 0; i < sent.count; i++) {
      const refusal = this.parseRecord(sent, fields, i, formatPath);
      if (refusal !== null) return refusal;
      if (i % RECORDS_PER_STEP === 0) yield;
    }
    return fields;
  }

  private parseRecord(
    sent: SentRecords,
    fields: RecordFields,
    record: number,
    formatPath: (record: number) => string,
  ): Refusal | null {
    const list = sent.names[record] as FieldNames;
    if (list !== this.lastNames) {
      this.layout = this.buildLayout(list.names);
      this.lastNames = list;
    }
    const { places, types } = this.layout;
    const { names } = list;
    const first = fields.getFirstField(record);
    for (let i = 0; i < places.length; i++) {
      const type = types[i] as RecordType | null;
      if (type === null && isPlainField(sent, first + i, this.world)) continue;
      const typed = parseTypedField(sent.readValue(first + i), type, this.world);
      if (isProblem(typed)) return toCellRefusal(`${formatPath(record)}.${names[i]}`, typed);
      fields.replaceField(first + i, typed);
    }
    fields.addLayout(this.layout);
    const refused = names[places.length];
    return refused === undefined ? null : this.createUnusableColumnRefusal(refused, `${formatPath(record)}.${refused}`);
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
    return new FieldLayout([...places], this.types);
  }

  /** `name` names no column, or the column of another field; `field`: its place in the request. */
  private createUnusableColumnRefusal(name: string, field: string): Refusal {
    if (this.names.findColumn(name) === null) return createUnknownColumnRefusal(name, field);
    return invalidRequest(field, `${field} is the same column as another field`);
  }
}

function formatRecordPath(record: number): string {
  return `records.${record}`;
}

/**
 * True if a field without a type needs no parsing: a number, a boolean, or an ASCII text that is not empty, not too long,
 * and no date or time.
 */
function isPlainField(sent: SentRecords, field: number, { system, limits }: TypingContext): boolean {
  const kind = sent.kinds[field];
  if (kind !== ASCII) return kind === NUMBER || kind === BOOLEAN;
  const start = sent.textStarts[field] as number;
  const length = (sent.textEnds[field] as number) - start;
  if (length === 0 || length > limits.maxStringLength) return false;
  return (
    (sent.bytes[start] as number) > MAX_FIRST_OF_MOMENT || parseMoment(String(sent.readValue(field)), system) === null
  );
}

/** The greatest first byte of a date or time in plain form. */
const MAX_FIRST_OF_MOMENT = '9'.charCodeAt(0);

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
