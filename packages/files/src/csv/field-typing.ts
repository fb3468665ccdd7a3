import { columnName, getLocale, type LocaleId, type Scalar } from '@cellwire/engine';
import {
  applyRules,
  areSameRules,
  type ColumnRules,
  createPlainState,
  deriveRules,
  describeNumbers,
  type FieldValue,
  isCodeReading,
  isKnownMark,
  type PlainColumnState,
} from './column-rules.ts';
import { ColumnTally } from './column-tally.ts';
import type { CsvColumnType, FieldKind, ImportedColumn } from './column-type.ts';
import { ColumnEvidence, type EvidenceField } from './evidence.ts';
import { FieldParser } from './field-parser.ts';
import { changesAsNumber, foldName, isProgramForm, needsQuotes, parseErrorField } from './field-text.ts';
import type { NumberColumn } from './number-rows.ts';
import { findPlainDecimalMark } from './number-shape.ts';
import {
  areUnevenDigits,
  canEndWithBlank,
  decodeFirstLetter,
  isWord,
  isWordWithDigits,
  MAX_BOOLEAN_BYTES,
  NONE,
  PlainNumber,
  POINT,
} from './plain-bytes.ts';
import { DATE_FORMS, type DateForm, PlainDate } from './plain-date.ts';

/** Receives the values of fields. */
export interface ValueSink {
  addNumber(row: number, column: number, value: number): void;
  /** Receives the numbers of consecutive rows of the same block of 256 rows. They are valid only during the call. */
  addNumbers(row: number, column: number, numbers: Float64Array): void;
  /** `bytes`: contains the text in UTF-8. */
  addText(row: number, column: number, bytes: Buffer, start: number, end: number): void;
  /** `format`: the code of a number format. */
  addValue(row: number, column: number, value: Scalar, format: string | undefined): void;
}

/**
 * First learns from all fields of a file how to read them, then reads them. Programs write numbers and dates in ways
 * that are ambiguous without the rest of the column: `1.234` is a fraction in a column with `0.5`, and a thousand in
 * one with `1.234,50`; `25/04/2026` decides how to read `03/04/2026`; a column with `007` contains codes, not numbers.
 * If the caller specifies a column's kind, fields of other kinds stay text.
 */
export class FieldTyping {
  private readonly locale: LocaleId;
  private readonly delimiter: string;
  private readonly decimal: '.' | ',' | undefined;
  private readonly specifiedTypesByKey: ReadonlyMap<string, CsvColumnType>;
  /** Column names as the caller wrote them. */
  private readonly specifiedNames: readonly string[];
  private readonly columns: ColumnEvidence[] = [];
  private readonly names: string[] = [];
  private tallies: readonly ColumnTally[] = [];
  private plain: readonly PlainColumnState[] = [];
  private readonly plainNumber = new PlainNumber();
  private readonly plainDate = new PlainDate();
  /** Number formats of the document's locale. */
  private readonly dateFormats: ReadonlyMap<DateForm, string>;
  /** Kinds of values that occur without quotation marks. A field of such a kind with quotation marks is a text. */
  private readonly unquoted = new Set<FieldKind>();
  /** True if `unquoted` contains `number`. A field, because it is read for each number of the file. */
  private hasBareNumber = false;
  /** The value of `unquoted` when the rules were derived. */
  private bare: ReadonlySet<FieldKind> = new Set();
  /** True if a field with a blank has no quotation marks. */
  private hasBareBlank = false;
  /** True if a field with a blank and quotation marks can be a value. */
  private hasQuotedBlank = false;
  /** True if the program that wrote the file does not need quotation marks for blanks. */
  private areBlanksBare = false;
  /** True if programs wrote the decimals of this file after a comma. */
  private hasDecimalCommas = false;
  /** The first two fields that are numbers with a decimal comma, by row and column. */
  private readonly commas = new Set<string>();
  private rules: readonly ColumnRules[] = [];
  private readonly parser: FieldParser;

  /** `types`: types by column name or letters. `decimal`: the decimal mark that the caller specified. */
  constructor(locale: LocaleId, delimiter: string, types: ReadonlyMap<string, CsvColumnType>, decimal?: '.' | ',') {
    this.decimal = decimal;
    this.locale = locale;
    this.delimiter = delimiter;
    const { dateFormat } = getLocale(locale);
    this.parser = new FieldParser(locale);
    this.dateFormats = new Map(
      DATE_FORMS.map((form) => [form, `${form.hasDay ? dateFormat : ''} ${form.time}`.trim()]),
    );
    this.specifiedNames = [...types.keys()];
    this.specifiedTypesByKey = new Map(Array.from(types, ([name, type]) => [foldName(name), type]));
  }

  /** Learns from a field that is not empty. It should be called once for each field. */
  readonly learnFromField = (row: number, column: number, field: string, quoted: boolean): void => {
    if (row === 0) this.names[column] = field;
    this.columns[column] ??= new ColumnEvidence();
    const evidence = this.columns[column];
    if (!quoted && !this.hasBareBlank) this.hasBareBlank = field.includes(' ');
    const mark = findPlainDecimalMark(field);
    if (mark !== null && quoted) evidence.hasQuotedValue = true;
    if (mark === '' || (mark === '.' && evidence.hasEvidence(mark, quoted))) {
      if (row > 0) evidence.counts.number++;
      if (!quoted) this.recordUnquoted('number');
      return;
    }
    const reading = this.parser.parseField(field);
    if (row > 0) evidence.counts[reading?.kind ?? 'none']++;
    if (reading === null) {
      if (row > 0 && !quoted) evidence.hasBareText = true;
      return;
    }
    if (quoted) {
      evidence.hasQuotedValue = true;
      this.hasQuotedBlank ||= field.includes(' ');
    } else this.recordUnquoted(reading.kind);
    const witness = { text: field, row: row + 1 };
    if (reading.kind === 'number') evidence.addNumber(reading.shapes, quoted, witness);
    if (mark === ',' && !quoted && !this.hasSeveralCommas) this.commas.add(`${row} ${column}`);
    if (reading.kind === 'date') evidence.addDate(reading.pair, witness);
  };

  /** True if several numbers have a decimal comma. Further decimal commas are then no evidence for the file. */
  private get hasSeveralCommas(): boolean {
    return this.commas.size > 1;
  }

  private recordUnquoted(kind: FieldKind): void {
    this.unquoted.add(kind);
    if (kind === 'number') this.hasBareNumber = true;
  }

  /**
   * Derives the rules from the fields so far. Returns true if they have changed; all values that were read before are
   * then invalid.
   */
  updateRules(): boolean {
    const marks = new Set(Array.from(this.columns, (evidence) => evidence?.findCertainMark()));
    const dots = marks.has('.');
    const fileMark = this.decimal ?? (dots === marks.has(',') ? undefined : dots ? '.' : ',');
    const types = this.listSpecifiedTypes();
    const { rules, bare, areBlanksBare, hasDecimalCommas } = this;
    this.bare = new Set(this.unquoted);
    this.areBlanksBare = this.hasBareBlank && this.hasQuotedBlank;
    this.hasDecimalCommas = this.decideDecimalCommas();
    this.rules = Array.from(this.columns, (evidence, column) =>
      deriveRules(evidence ?? new ColumnEvidence(), types[column], {
        locale: getLocale(this.locale),
        decimal: this.decimal,
        fileMark,
        hasBareNumber: this.bare.has('number'),
      }),
    );
    for (const evidence of this.columns) evidence?.resetCounts();
    const isOther = rules.length !== this.rules.length || !this.rules.every((rule, i) => areSameRules(rule, rules[i]));
    const isOtherFile = areBlanksBare !== this.areBlanksBare || hasDecimalCommas !== this.hasDecimalCommas;
    const isChanged = isOther || isOtherFile || bare.size !== this.bare.size;
    if (isChanged) {
      this.tallies = Array.from(this.columns, () => new ColumnTally());
      this.plain = this.tallies.map((tally, column) => {
        const evidence = this.columns[column] ?? new ColumnEvidence();
        return createPlainState(evidence, this.rules[column] as ColumnRules, tally, this.delimiter);
      });
    }
    return isChanged;
  }

  /**
   * Decides whether numbers of the file have decimal commas. True if the caller specified it. Otherwise true if a
   * column of numbers has them, or if several fields of a file with another delimiter do, and no column of numbers has
   * decimal points.
   */
  private decideDecimalCommas(): boolean {
    if (this.decimal !== undefined) return this.decimal === ',';
    const marks = new Set(this.columns.map((evidence) => evidence?.isMostly('number') && evidence.findCertainMark()));
    if (marks.has('.')) return false;
    return marks.has(',') || (this.delimiter !== ',' && this.delimiter !== '' && this.hasSeveralCommas);
  }

  /** Returns a column name of the caller that no column has. */
  findMissingColumn(): string | undefined {
    const keys = new Set(
      Array.from(this.columns, (_, column) => [this.names[column] ?? '', columnName(column)].map(foldName)).flat(),
    );
    return this.specifiedNames.find((name) => !keys.has(foldName(name)));
  }

  /** Learns from a field that is not empty, and sends its value to the sink. */
  processField(
    row: number,
    column: number,
    bytes: Buffer,
    start: number,
    end: number,
    quoted: boolean,
    sink: ValueSink,
  ): void {
    const plain = this.plain[column];
    // The first row usually contains the column names.
    const isPlain =
      row > 0 && plain !== undefined && this.processPlainField(row, column, bytes, start, end, quoted, plain, sink);
    if (isPlain) return;
    const field = bytes.toString('utf8', start, end);
    this.learnFromField(row, column, field, quoted);
    const typed = this.convertField(row, column, field, quoted);
    sink.addValue(row, column, typed.value, typed.format);
    if (row === 0 || plain === undefined) return;
    if (typed.kind === 'text') this.recordText({ text: field, row: row + 1 }, plain);
    plain.tally.countField(typed.kind);
  }

  /**
   * Returns the end of a number at `start` that adds no evidence and is read as a number; `NONE` for other texts. If
   * the field ends there, the caller must call `addPlainNumber`.
   */
  findNumberEnd(row: number, column: number, bytes: Buffer, start: number): number {
    const plain = this.plain[column];
    // The first row usually contains the column names.
    if (row === 0 || plain === undefined || !plain.rules.numbers) return NONE;
    const end = this.plainNumber.readNumber(bytes, start, bytes.length, plain.mark);
    return end !== NONE && this.isKnownNumber(plain, plain.mark) ? end : NONE;
  }

  /** Sends the number that `findNumberEnd` found to the sink. */
  addPlainNumber(row: number, column: number, sink: ValueSink): void {
    const { evidence, tally } = this.plain[column] as PlainColumnState;
    evidence.counts.number++;
    tally.countField('number');
    sink.addNumber(row, column, this.plainNumber.value);
  }

  /**
   * Returns which numbers of each column add no evidence and are read as numbers; null if not all columns contain
   * numbers. `row`: the next row.
   */
  findNumberColumns(row: number): readonly NumberColumn[] | null {
    const { plain } = this;
    // The first row usually contains the column names.
    if (row === 0 || plain.length === 0 || !this.hasBareNumber) return null;
    const hasNumbers = plain.every(({ rules }) => rules.numbers && !rules.rare.has('number'));
    return hasNumbers ? plain.map((column) => describeNumbers(column, this.hasSeveralCommas)) : null;
  }

  /** Sends the numbers of consecutive rows, as `findNumberColumns` describes them, to the sink. */
  addPlainNumbers(row: number, column: number, numbers: Float64Array, sink: ValueSink): void {
    const { evidence, tally } = this.plain[column] as PlainColumnState;
    evidence.counts.number += numbers.length;
    tally.countNumbers(numbers.length);
    sink.addNumbers(row, column, numbers);
  }

  /** True if the unquoted number that was read last, with this decimal mark, adds no evidence to its column. */
  private isKnownNumber({ evidence, rules }: PlainColumnState, mark: number): boolean {
    const { kind } = this.plainNumber;
    if (!this.hasBareNumber) return false;
    if (kind === 'whole') return true;
    if (mark !== POINT && rules.rare.has('number')) return false;
    return isKnownMark(evidence, mark, kind === 'either', this.hasSeveralCommas);
  }

  private recordText(witness: EvidenceField, { tally, rules }: PlainColumnState): void {
    tally.recordText(witness);
    const reading = rules.rare.size === 0 ? null : this.parser.parseField(witness.text);
    if (reading !== null && rules.rare.has(reading.kind)) tally.recordRareField(witness);
  }

  /**
   * Processes a field as `processField` does, for common fields that are no evidence. Returns false for other fields.
   */
  private processPlainField(
    row: number,
    column: number,
    bytes: Buffer,
    start: number,
    end: number,
    quoted: boolean,
    plain: PlainColumnState,
    sink: ValueSink,
  ): boolean {
    const { rules, evidence, tally } = plain;
    const letter = decodeFirstLetter(bytes, start);
    if (letter >= 0) {
      const isShort = end - start <= MAX_BOOLEAN_BYTES || canEndWithBlank(bytes, end);
      if ((isShort && this.parser.startsBoolean(letter)) || !isWord(bytes, start, end)) return false;
    } else if (quoted) {
      return false;
    } else if (this.plainNumber.readNumber(bytes, start, end, POINT) === end) {
      // `findNumberEnd` has found the numbers that are read as numbers.
      if (!rules.text || !this.isKnownNumber(plain, POINT)) return false;
      evidence.counts.number++;
      evidence.counts.none--;
    } else if (this.addPlainDate(row, column, bytes, start, end, plain, sink)) return true;
    else if (!areUnevenDigits(bytes, start, end) && !isWordWithDigits(bytes, start, end, this.hasBareBlank))
      return false;
    evidence.counts.none++;
    if (!quoted) evidence.hasBareText = true;
    if (!tally.hasText) tally.recordText({ text: bytes.toString('utf8', start, end), row: row + 1 });
    tally.countField('text');
    sink.addText(row, column, bytes, start, end);
    return true;
  }

  /** Sends an unquoted date that adds no evidence to the sink. Returns false for other fields. */
  private addPlainDate(
    row: number,
    column: number,
    bytes: Buffer,
    start: number,
    end: number,
    { rules, evidence, tally, dates }: PlainColumnState,
    sink: ValueSink,
  ): boolean {
    if (dates === 'none' || !this.unquoted.has('date')) return false;
    const date = this.plainDate;
    if (!date.readDate(bytes, start, end, rules.slashOrder) || (dates === 'program' && !date.isProgramForm))
      return false;
    if (date.hasBlank && !this.hasBareBlank) return false;
    if (date.first > 0 && !evidence.hasDateEvidence(date.first, date.second)) return false;
    evidence.counts.date++;
    tally.countField('date');
    sink.addValue(row, column, date.serial, this.dateFormats.get(date.form));
    return true;
  }

  /** How the columns were read, in order; valid after all fields were read. */
  describeColumns(): readonly ImportedColumn[] {
    return this.tallies.map((tally, column) => ({
      column: columnName(column),
      name: this.names[column] ?? null,
      type: tally.findType(),
      why: tally.describeReason((this.rules[column] as ColumnRules).why),
    }));
  }

  /** Describes how numbers and dates are read if their column does not decide otherwise. */
  describeConventions(): { readonly decimal: '.' | ','; readonly dateOrder: 'dmy' | 'mdy' } {
    const locale = getLocale(this.locale);
    const marks = new Set(this.columns.map((evidence) => evidence?.findCertainMark()));
    const certain = marks.has('.') === marks.has(',') ? undefined : marks.has('.') ? '.' : ',';
    const orders = new Set(this.columns.map((evidence) => evidence?.findCertainOrder()));
    const order = orders.has('dmy') === orders.has('mdy') ? undefined : orders.has('dmy') ? 'dmy' : 'mdy';
    const marked = this.rules.find(({ why, mark }) => why.number !== '' && mark !== null)?.mark;
    const ordered = this.rules.find(
      ({ why, only, slashOrder }) => slashOrder !== null && (why.date !== '' || only === 'date'),
    );
    return {
      decimal: this.decimal ?? certain ?? marked ?? locale.decimal,
      dateOrder: order ?? ordered?.slashOrder ?? locale.slashOrder,
    };
  }

  /** Returns the specified types of the columns, by the names in the first row, or else by letters. */
  private listSpecifiedTypes(): readonly (CsvColumnType | undefined)[] {
    const names = new Set(this.names.map((name) => foldName(name ?? '')));
    return Array.from(this.columns, (_, column) => {
      const letters = foldName(columnName(column));
      return (
        this.specifiedTypesByKey.get(foldName(this.names[column] ?? '')) ??
        (names.has(letters) ? undefined : this.specifiedTypesByKey.get(letters))
      );
    });
  }

  private convertField(row: number, column: number, field: string, quoted: boolean): FieldValue {
    const rules = this.rules[column];
    const isName = row === 0 && rules?.rare.has('number') === true && changesAsNumber(field, this.hasDecimalCommas);
    if (rules?.numbers && !quoted && !isName) {
      const mark = findPlainDecimalMark(field);
      if (mark === '' || (mark === '.' && rules.mark === '.')) return { kind: 'number', value: Number(field) };
    }
    const reading = this.parser.parseField(field);
    if (reading === null || rules === undefined) {
      return { kind: 'text', value: quoted ? field : (parseErrorField(field) ?? field) };
    }
    const isKindSpecified = rules.only !== null;
    const isRare = rules.rare.has(reading.kind);
    const isOdd = isRare && ((isName && reading.kind === 'number') || !isProgramForm(field, this.hasDecimalCommas));
    const areQuotesUnusual = this.bare.has(reading.kind) || rules.quotedTexts.has(reading.kind);
    const isText = isKindSpecified
      ? reading.kind !== rules.only
      : isOdd || (quoted && areQuotesUnusual && (isCodeReading(reading) || !this.needsQuotes(field)));
    const value = rules.text || isText ? null : applyRules(reading, rules, this.locale);
    return value ?? { kind: 'text', value: field };
  }

  /**
   * True if the program that wrote the file puts quotation marks around a field because of its characters. Many
   * programs do so for blanks.
   */
  private needsQuotes(field: string): boolean {
    return needsQuotes(field, this.delimiter) || (field.includes(' ') && !this.areBlanksBare);
  }
}
