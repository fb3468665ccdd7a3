import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Edit, Workbook } from '@cellwire/engine';
import { createSingleSheetParts, MAIN, writeZip } from '../../../files/test/workbook-files.ts';
import { Calculator } from '../../src/documents/calculation/calculator.ts';
import { CalculationPool } from '../../src/documents/calculation/pool.ts';
import { DocumentJobs } from '../../src/service/document/document-jobs.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { NOTHING_INLINE, SETTINGS } from './support.ts';

/*
 * A process whose threads may hold little: performs each task that its parent sends, in a thread, and answers with how
 * the task ended.
 */

const HEAP_BYTES = 32 * 1024 * 1024;
const FOLDER = process.argv[2] as string;
const CONTEXT = { now: 0, seed: 7, budget: { cells: 20_000_000, milliseconds: 60_000 }, writer: null };

const pool = new CalculationPool(1, NOTHING_INLINE, { heap: HEAP_BYTES });
const documentJobs = new DocumentJobs(true, { heap: HEAP_BYTES });
const calculator = new Calculator(pool, { built: 0 });
let { head } = Workbook.create(SETTINGS, 'Sheet1');

/** Calculates an edit; returns how it ended. The resulting state is the base of the next edit. */
async function applyEdit(edit: Edit): Promise<string> {
  const outcome = await calculator.calculate(head, [edit], CONTEXT, 1);
  if (outcome.kind === 'calculated') head = outcome.after;
  return outcome.kind === 'refusal' ? outcome.reason : outcome.kind;
}

function enterValues(values: readonly (readonly string[])[]): Promise<string> {
  return applyEdit({ kind: 'setValues', sheet: 1, row: 0, column: 0, values, mode: 'user' });
}

/** Fills a column with different texts. */
function enterTexts(rows: number): Promise<string> {
  return enterValues(Array.from({ length: rows }, (_, row) => [`${(row * 7919) % rows} text`]));
}

/** Sorts the entered texts. */
function sortTexts(): Promise<string> {
  const area = { top: 0, left: 0, bottom: 200_000, right: 0 };
  return applyEdit({ kind: 'sort', sheet: 1, area, by: [{ column: 0, descending: false }] });
}

async function importFile(path: string, format: 'csv' | 'excel'): Promise<string> {
  const options = { locale: 'en-US', timeZone: 'UTC', csv: {} } as const;
  const file = { path, format, options, chunkFile: join(FOLDER, 'chunks'), now: 0 } as const;
  const imported = await documentJobs.runInThread('file', file, {
    user: 1,
    signal: new AbortController().signal,
    bytes: 8,
  });
  return isRefusal(imported) ? `refused: ${JSON.stringify(imported)}` : imported.kind;
}

async function importFormula(formula: string): Promise<string> {
  const cell = `<c r="A1" cm="1"><f t="array" ref="A1">${formula}</f></c>`;
  const path = await writeZip(
    join(FOLDER, 'a.xlsx'),
    createSingleSheetParts(`<sheetData><row r="1">${cell}</row></sheetData>`),
  );
  return importFile(path, 'excel');
}

/** A file of one line with `length` characters, which repeats `field`. */
async function importLine(length: number, field: string): Promise<string> {
  const path = join(FOLDER, 'a.csv');
  const file = openSync(path, 'w');
  const piece = field.repeat(Math.ceil((1024 * 1024) / field.length));
  for (let written = 0; written < length; written += piece.length) writeSync(file, piece);
  closeSync(file);
  return importFile(path, 'csv');
}

/** A workbook with many different shared texts, or with a single one of the same total length. */
async function importShared(kind: string): Promise<string> {
  const text = 'word '.repeat(20);
  const texts = kind === 'one' ? [text.repeat(500_000)] : Array.from({ length: 300_000 }, (_, i) => `${i} ${text}`);
  const shared = texts.map((each) => `<si><t>${each}</t></si>`).join('');
  const sheet = '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData>';
  const parts = { 'xl/sharedStrings.xml': `<sst ${MAIN}>${shared}</sst>` };
  return importFile(await writeZip(join(FOLDER, 'c.xlsx'), createSingleSheetParts(sheet, parts)), 'excel');
}

/** Columns of different texts, more than the thread's heap could hold. */
async function importTexts(rows: number): Promise<string> {
  const path = join(FOLDER, 'b.csv');
  const file = openSync(path, 'w');
  for (let row = 0; row < rows; row++) writeSync(file, `${row} ${'word '.repeat(20)},${row} text,${row}\n`);
  closeSync(file);
  return importFile(path, 'csv');
}

const TASKS: Readonly<Record<string, (argument: string) => Promise<string>>> = {
  enter: (text) => enterValues([[text]]),
  enterTexts: (rows) => enterTexts(Number(rows)),
  sort: sortTexts,
  importFormula,
  importShared,
  importLine: (field) => importLine(40 * 1024 * 1024, field),
  importTexts: (rows) => importTexts(Number(rows)),
};

process.on('message', async ([task, argument]: [string, string]) => {
  process.send?.(await (TASKS[task] as (argument: string) => Promise<string>)(argument));
});
await once(process, 'disconnect');
await Promise.all([pool.close(), documentJobs.close()]);
