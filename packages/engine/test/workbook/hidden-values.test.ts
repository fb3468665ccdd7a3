import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { cellView, type Edit, Workbook, type WorkbookData } from '../../src/index.ts';
import { Book, createContext, NOON } from './book.ts';

const OWNER = 1;
const EDITOR = 2;
const YEAR_MS = 366 * 24 * 60 * 60 * 1000;
/** Number of rows and columns of the open sheet that the steps use. */
const SIZE = 6;

/** References to the open and to the hidden sheet. */
const reference = fc.constantFrom(
  ...['A1', 'B2:C3', 'C:C', 'Secret!A1', 'Secret!A2', 'Secret!A1:B3', 'Secret!A:A', 'Sheet1:Secret!A2', 'Secret!D1#'],
);
const address = fc.constantFrom(
  ...['"Secret!A1"', '"Secret!A1:A3"', '"Secret!B:B"', '"A2"', 'E1', 'E2', '"Secret!A"&1', 'TEXTJOIN("";TRUE;E1:E2)'],
);
const gate = fc.constantFrom(
  ...['E3="go"', 'NOW()>DATE(2027;1;1)', 'TODAY()>DATE(2027;1;1)', 'RAND()<0,5', 'D1>3', 'ISERROR(A1)', 'TRUE'],
);
const reader = fc.oneof(
  fc.tuple(fc.constantFrom('', '-', '1+'), reference).map(([before, text]) => `${before}${text}`),
  fc
    .tuple(fc.constantFrom('SUM', 'COUNT', 'ROWS', 'ISFORMULA', 'FORMULATEXT', 'TYPE', 'ISBLANK', 'MAX'), reference)
    .map(([name, text]) => `${name}(${text})`),
  fc.tuple(reference, reference).map(([a, b]) => `SUMPRODUCT((${a}=7)*1)+COUNTIF(${b};">1")`),
  reference.map((text) => `IFERROR(${text};2)`),
  reference.map((text) => `VLOOKUP(2;${text};1;FALSE)`),
  reference.map((text) => `CELL("contents";${text})`),
  reference.map((text) => `IF(ISNUMBER(C:C);1;IFERROR(${text};2))`),
  address.map((text) => `INDIRECT(${text})`),
  address.map((text) => `LET(f;INDIRECT;f(${text}))`),
  address.map((text) => `SUM(MAP({"Secret!A1"};INDIRECT);INDIRECT(${text}))`),
  address.map((text) => `REDUCE(0;{1;2};LAMBDA(a;i;a+N(INDIRECT(${text}))))`),
  address.map((text) => `ROWS(INDIRECT(${text}))`),
  fc.constantFrom(
    ...['OFFSET(Secret!A1;1;0)', 'SUM(A1:INDIRECT("Secret!A1"))', 'SECRETS', 'SUM(SECRETS)', 'MADE', 'MADELATER(E1)'],
    ...['SUM(Stock[Qty])', 'ROWS(Stock)', 'Stock[#Headers]', 'SUM(INDIRECT("Stock[Qty]"))', 'INDIRECT("SECRETS")'],
  ),
);
const formula = fc.oneof(
  reader.map((text) => `=${text}`),
  fc.tuple(gate, reader).map(([test, text]) => `=IF(${test};${text};0)`),
  fc.tuple(gate, reader).map(([test, text]) => `=IF(${test};0;IFERROR(${text};"none"))`),
);

const cell = fc.tuple(fc.nat(SIZE - 1), fc.nat(SIZE - 1));
const input = fc.oneof(formula, fc.constantFrom<string | number>(1, 4, 'go', 'A1', 'Secret!A1', 'B2', ''));

type HistoryStep =
  | {
      readonly by: 'editor' | 'owner';
      readonly cells: readonly (readonly [readonly [number, number], string | number])[];
    }
  /** The owner writes secrets. They differ between the two documents. */
  | { readonly by: 'secrets'; readonly row: number; readonly kind: number }
  | { readonly by: 'clock' }
  | { readonly by: 'rename' };

const editorStep = fc.record({
  by: fc.constant('editor' as const),
  cells: fc.array(fc.tuple(cell, input), { minLength: 1, maxLength: 4 }),
});
/** Formulas of the owner that make references from text. They must not read the hidden sheet. */
const byText = fc.constantFrom(
  ...['=INDIRECT("Secret!A1")', '=SUM(INDIRECT(E1))', '=OFFSET(INDIRECT(E2);0;0)', '=MADE', '=MADELATER(A1)'],
  ...[
    '=INDIRECT("SECRETS")',
    '=ROWS(INDIRECT("Stock[Qty]"))',
    '=FORMULATEXT(INDIRECT(E1))',
    '=CELL("address";INDIRECT(E1))',
  ],
  ...[
    '=LET(f;INDIRECT;f(E1))',
    '=IFERROR(INDIRECT(E1);"none")',
    '=INDIRECT("R1C1";FALSE)',
    '=SUM(INDIRECT("Sheet1:Secret!A1"))',
  ],
);
/** The owner's other formulas read only the open sheet, because the owner's formulas may show secrets to others. */
const ownerStep = fc.record({
  by: fc.constant('owner' as const),
  cells: fc.array(
    fc.tuple(
      cell,
      fc.oneof(byText, fc.constantFrom<string | number>('=SUM(A1:B3)', '=A2*2', '=NOW()', 'go', 'Secret!A1', 5, '')),
    ),
    { minLength: 1, maxLength: 3 },
  ),
});
const secretStep = fc.record({ by: fc.constant('secrets' as const), row: fc.nat(1), kind: fc.nat(5) });
const step: fc.Arbitrary<HistoryStep> = fc.oneof(
  { weight: 5, arbitrary: editorStep },
  { weight: 2, arbitrary: ownerStep },
  { weight: 3, arbitrary: secretStep },
  fc.constant<HistoryStep>({ by: 'clock' }),
  fc.constant<HistoryStep>({ by: 'rename' }),
);

type SecretValues = readonly (readonly (string | number | boolean)[])[];

/** Returns secrets of a kind. The secrets of the two documents differ in value, type, format or size. */
function createSecrets(kind: number, document: number): SecretValues {
  const variants: readonly SecretValues[][] = [
    [[[7]], [[8]]],
    [[[2], [3], [9]], [['two']]],
    [[['2026-05-04', 1]], [[1, '50%']]],
    [[['=1/0']], [['=SEQUENCE(3)']]],
    [[['=SUM(Sheet1!A1:B3)']], [[true]]],
    [[['A1', 'E2']], [['', 4]]],
  ];
  return variants[kind]?.[document] ?? [];
}

const SHEET = { hidden: false, color: null, hiddenRows: [], columnFormats: new Map<number, string>() };

/** The hidden sheet has a table, and defined names refer to it. */
const DATA: WorkbookData = {
  settings: { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' },
  names: [
    { name: 'SECRETS', formula: 'Secret!$A$1:$A$3' },
    { name: 'MADE', formula: 'INDIRECT("Secret!A1")' },
    { name: 'MADELATER', formula: 'LAMBDA(t,INDIRECT(t))' },
  ],
  tables: [
    {
      name: 'Stock',
      sheet: 'Secret',
      area: { top: 0, left: 5, bottom: 3, right: 6 },
      headerRow: true,
      totalsRow: false,
      columns: ['Item', 'Qty'],
    },
  ],
  sheets: [
    { ...SHEET, name: 'Sheet1', cells: [] },
    {
      ...SHEET,
      name: 'Secret',
      cells: [
        [0, 0, 1],
        [0, 1, 2],
        [1, 0, 3],
        [0, 5, 'Item'],
        [0, 6, 'Qty'],
        [1, 6, 4],
      ].map(([row, column, value]) => ({ row: Number(row), column: Number(column), value: value ?? null })),
    },
  ],
};

class DocumentHistory {
  readonly book = new Book('en-US');
  private readonly document: number;
  private now = NOON;
  private seed = 0;
  private names = 0;
  /** Everything that the editor received. */
  readonly observations: unknown[] = [];

  /** Creates a document in which the editor writes formulas before the sheet is hidden. */
  constructor(document: number, before: readonly (readonly [readonly [number, number], string])[]) {
    this.document = document;
    const { book } = this;
    const workbook = Workbook.import(DATA, createContext());
    assert.ok(workbook instanceof Workbook);
    book.workbook = workbook;
    book.set('Secret!D1', '=SEQUENCE(2)');
    this.setUser(EDITOR, false);
    book.apply(before.map(([at, text]) => this.write(at, text)));
    this.setUser(OWNER, true);
    book.apply([{ kind: 'recalculate', readersOf: [book.sheetId('Secret')] }]);
  }

  private setUser(user: number, hides: boolean): void {
    const hidden = hides ? [{ sheet: this.book.head.sheets[1]?.id ?? 0, seenBy: [] }] : [];
    const writer = user === OWNER ? null : user;
    this.seed++;
    this.book.context = createContext({ writer, rights: { owner: OWNER, hidden }, now: this.now, seed: this.seed });
  }

  private write([row, column]: readonly [number, number], value: string | number): Edit {
    return { kind: 'setValues', sheet: 1, row, column, values: [[value]], mode: 'user' };
  }

  perform(step: HistoryStep): void {
    const { book } = this;
    this.setUser(step.by === 'editor' ? EDITOR : OWNER, true);
    if (step.by === 'clock') {
      this.now += YEAR_MS;
      this.apply([{ kind: 'recalculate' }]);
    } else if (step.by === 'rename') {
      this.names++;
      const name = this.names % 2 === 0 ? 'Secret' : 'Other';
      this.apply([{ kind: 'renameSheet', sheet: book.head.sheets[1]?.id ?? 0, name }]);
    } else if (step.by === 'secrets') {
      const sheet = book.head.sheets[1]?.id ?? 0;
      const values = createSecrets(step.kind, this.document);
      this.apply([{ kind: 'setValues', sheet, row: step.row, column: 0, values, mode: 'user' }]);
    } else {
      this.apply(step.cells.map(([at, value]) => this.write(at, value)));
      this.observations.push(this.readOpenSheet());
    }
  }

  private apply(edits: readonly Edit[]): void {
    const outcome = this.book.tryEdits(edits);
    if (outcome.kind === 'refusal') this.observations.push(outcome);
    else {
      const { change, warnings, outcomes } = outcome;
      const open = (sheets: typeof change.written) => sheets.filter(({ sheet }) => sheet === 1);
      this.observations.push({ warnings, areas: [open(change.written), open(change.derived)] });
      if (edits.every((edit) => 'sheet' in edit && edit.sheet === 1)) this.observations.push(outcomes);
    }
  }

  /** The cells of the open sheet, as the editor sees them. */
  readOpenSheet(): unknown {
    const { head } = this.book;
    const sheet = head.sheets[0];
    const cells: unknown[] = [];
    const { rows, columns } = sheet?.extent() ?? { rows: 0, columns: 0 };
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) cells.push(cellView(head, 1, row, column));
    }
    return { rows, columns, cells };
  }
}

describe('hidden values', () => {
  it('do not affect anything that an editor can see, whatever both users write', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, formula), { minLength: 2, maxLength: 8 }),
        fc.array(secretStep, { minLength: 1, maxLength: 2 }),
        fc.array(step, { maxLength: 5 }),
        (before, fresh, steps) => {
          const first = new DocumentHistory(0, before);
          const second = new DocumentHistory(1, before);
          for (const next of [...fresh, ...steps]) {
            first.perform(next);
            second.perform(next);
            assert.deepEqual(first.readOpenSheet(), second.readOpenSheet());
          }
          assert.deepEqual(first.observations, second.observations);
        },
      ),
      { numRuns: scaleRunCount(120) },
    );
  });
});
