import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../../test/elements.ts';
import { FORMS, FUNCTIONS } from '../../src/functions/catalogue.ts';
import type { ArgumentKind, Callable } from '../../src/functions/spec.ts';
import type { Input } from '../../src/index.ts';
import { Book, createContext } from '../workbook/book.ts';

/** Number of random calls of each function. Set `FUNCTION_TIME_CALLS=50` for a longer run. */
const CALLS = Number(process.env['FUNCTION_TIME_CALLS'] ?? 1);
/** The time limit of a calculation, in milliseconds of this thread's processor time. */
const BUDGET_MS = 4;
/** Maximum work between two reads of the clock, in multiples of the time to sort 100,000 numbers. */
const MAX_WORK = 8;
/** Maximum number of attempts for a call that seems slow. Garbage collection may have interrupted the first ones. */
const TRIES = 4;

const ROWS = 150_000;
const TEXT_ROWS = 50_000;

const NUMBERS = ['H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'H7', '0', '1', '2', '-3', '170', '45000', ''];
const TEXTS = ['H8', 'H9', 'H10', 'H11', 'H12', '"a"', '","', '""'];
const RANGES = [
  ...['A1:A150000', 'B1:B150000', 'C1:C100000', 'D1:D150000', 'A1:D30000', 'E1:E50000', 'A1:D300', 'A:B'],
  ...['A1:A60', 'A1:KN1', 'A1:CV100', 'C1:C5000', 'B1:B5000'],
];
const ARRAYS = [...RANGES, 'SEQUENCE(300;300)', 'SEQUENCE(1;16000)'];
const LAMBDAS = ['LAMBDA(x;x)', 'LAMBDA(x;y;x+y)', 'SUM', 'LAMBDA(x;REPT("a";3000))'];

/** A book with columns of numbers, dates, ranks, signed numbers and texts, and extreme numbers and texts. */
function createBook(): Book {
  const book = new Book('en-US');
  const numbers = Array.from({ length: ROWS }, (_, i): Input[] => {
    const lot = ((i * 48_271) % 99_991) / 8;
    return [lot, 40_000 + (i % 9_000), i, i % 2 === 0 ? -lot : i];
  });
  const texts = Array.from({ length: TEXT_ROWS }, (_, i): Input[] => [`t${(i * 48_271) % 30_011}`]);
  const edges: Input[] = [0.5, 12, 1_000, 1e6, 1e9, 1e15, 0.05];
  const longTexts: Input[] = ['a'.repeat(32_000), 'ab,'.repeat(10_000), '1+2i', '(a*)*b', '1'.repeat(300)];
  for (const [column, values] of [numbers, texts, [...edges, ...longTexts].map((value) => [value])].entries()) {
    const target = { sheet: 1, row: 0, column: elementAt([0, 4, 7], column) };
    book.apply([{ kind: 'setValues', ...target, values, mode: 'raw' }]);
  }
  return book;
}

function arbitraryArgument(kind: ArgumentKind): fc.Arbitrary<string> {
  const from = (...lists: readonly (readonly [number, readonly string[]])[]) =>
    fc.oneof(...lists.map(([weight, texts]) => ({ weight, arbitrary: fc.constantFrom(...texts) })));
  switch (kind) {
    case 'number':
    case 'integer':
    case 'boolean':
      return from([1, ARRAYS], [4, NUMBERS]);
    case 'text':
      return from([1, ARRAYS], [4, TEXTS]);
    case 'scalar':
    case 'any':
      return from([3, ARRAYS], [4, NUMBERS], [2, TEXTS]);
    case 'reference':
      return from([1, RANGES]);
    case 'lambda':
      return from([1, LAMBDAS]);
    default:
      return from([6, ARRAYS], [1, NUMBERS], [1, TEXTS]);
  }
}

/** Calls with large arguments of the kinds in the function's specification. */
function arbitraryCall(spec: Callable): fc.Arbitrary<string> {
  const required = spec.args.filter(({ optional }) => !optional).length;
  const leadingArguments = fc
    .integer({ min: required, max: spec.args.length })
    .chain((count) => fc.tuple(...spec.args.slice(0, count).map(({ kind }) => arbitraryArgument(kind))));
  const group = fc.tuple(...(spec.rest ?? []).map(({ kind }) => arbitraryArgument(kind)));
  const rest = fc.array(group, spec.rest ? { minLength: 1, maxLength: 3 } : { maxLength: 0 });
  return fc
    .tuple(leadingArguments, rest)
    .map(([args, groups]) => `=${spec.name}(${[...args, ...groups.flat()].join(';')})`);
}

function readProcessorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The processor time of a reference workload, in milliseconds: the shortest of several runs. */
function measureReferenceTime(): number {
  const numbers = Float64Array.from({ length: 100_000 }, (_, i) => (i * 48_271) % 99_991);
  const times = Array.from({ length: 5 }, () => {
    const began = readProcessorMs();
    numbers.slice().sort();
    return readProcessorMs() - began;
  });
  return Math.min(...times);
}

/** The longest time of a calculation between two reads of its clock, in milliseconds of processor time. */
function measureLongestStretch(book: Book, formula: string): number {
  let longest = 0;
  let last = readProcessorMs();
  const clock = () => {
    const now = readProcessorMs();
    longest = Math.max(longest, now - last);
    last = now;
    return now;
  };
  book.context = createContext({ budget: { cells: 20_000_000, milliseconds: BUDGET_MS, clock } });
  const edit = { kind: 'setValues', sheet: 1, row: 0, column: 700, values: [[formula]], mode: 'user' } as const;
  const result = book.workbook.apply([edit], book.context);
  clock();
  book.context = createContext();
  if (result.kind === 'applied') {
    book.apply([{ kind: 'clear', sheet: 1, area: { top: 0, left: 700, bottom: 0, right: 700 } }]);
  } else assert.equal(result.reason, 'calculationLimit', formula);
  return longest;
}

describe('every function reads the budget’s clock often', () => {
  const book = createBook();
  const most = MAX_WORK * measureReferenceTime();
  for (const spec of [...FUNCTIONS.values(), ...FORMS.values()]) {
    it(spec.name, () => {
      for (const formula of fc.sample(arbitraryCall(spec), CALLS)) {
        let least = Number.POSITIVE_INFINITY;
        for (let i = 0; i < TRIES && least > most; i++) least = Math.min(least, measureLongestStretch(book, formula));
        assert.ok(least <= most, `${formula}: ${least.toFixed(0)} ms of ${most.toFixed(0)}`);
      }
    });
  }
});
