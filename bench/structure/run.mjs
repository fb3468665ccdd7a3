// npm run structure [-- --cases N] [--seed N] [--only N] [--failures N]
// Compares random operations on random workbooks in Cellwire and in LibreOffice. See README.md in this folder.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeXlsx } from '@cellwire/files/xlsx-writer';
import { cellText, exportData, Workbook } from '../../packages/engine/src/index.ts';
import { compareResults } from './differences.mjs';
import { createEdits } from './edits.mjs';
import { drawCase } from './random-case.mjs';

const OFFICE_MINUTES = 10;

const { values: options } = parseArgs({
  options: {
    cases: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    failures: { type: 'string', default: '10' },
    python: { type: 'string', default: '/usr/bin/python3' },
  },
});

const context = {
  now: Date.UTC(2026, 0, 15, 12),
  seed: 1,
  budget: { cells: 1_000_000, milliseconds: 60_000, clock: () => 0 },
};

/** The formulas, values and names of a workbook in the grammar of files. */
function formatWorkbook(head) {
  const data = exportData(head);
  const cells = {};
  for (const { name, cells: sheetCells } of data.sheets) {
    cells[name] = {};
    for (const { row, column, formula, value } of sheetCells) {
      if (formula === undefined && value === null) continue;
      cells[name][cellText(row, column)] = [formula === undefined ? null : `=${formula}`, value];
    }
  }
  // Only names of the whole workbook are compared, because a copied sheet has its own names.
  const common = data.names.filter(({ sheet }) => sheet === undefined);
  return { cells, names: Object.fromEntries(common.map(({ name, formula }) => [name, `=${formula}`])) };
}

/** Performs the operations that are possible, one batch each, and returns the result. */
function performOperations(workbook, operations) {
  const performedOperations = [];
  for (const operation of operations) {
    const edits = createEdits(workbook.head, operation);
    if (edits === null || workbook.apply(edits, context).kind !== 'applied') continue;
    performedOperations.push(operation);
  }
  return performedOperations;
}

/** True if a program cannot be started with these arguments. */
function isProgramMissing(program, args) {
  return spawnSync(program, args, { stdio: 'ignore' }).status !== 0;
}

/** Runs all cases in Cellwire and LibreOffice and compares the results. */
async function runCases() {
  if (isProgramMissing('soffice', ['--version']) || isProgramMissing(options.python, ['-c', 'import uno'])) {
    console.log('SKIPPED: nothing was compared. This needs LibreOffice (soffice) and its Python (python3-uno).');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'structure-'));
  try {
    const cases = [];
    const first = Number(options.seed) * 100_000;
    const seeds = options.only
      ? [Number(options.only)]
      : Array.from({ length: Number(options.cases) }, (_, i) => first + i);
    for (const seed of seeds) {
      const { data, operations } = drawCase(seed);
      const workbook = Workbook.import(data, context);
      const file = join(folder, `${seed}.xlsx`);
      await writeXlsx(file, exportData(workbook.head));
      const performedOperations = performOperations(workbook, operations);
      cases.push({ seed, file, operations: performedOperations, ours: formatWorkbook(workbook.head) });
    }
    const job = join(folder, 'job.json');
    await writeFile(job, JSON.stringify({ cases: cases.map(({ file, operations }) => ({ file, operations })) }));
    const office = spawnSync(options.python, [join(import.meta.dirname, 'office.py'), job], {
      timeout: OFFICE_MINUTES * 60_000,
      maxBuffer: 1 << 30,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = office.stdout.toString().split('\n').filter(Boolean);
    printReport(
      cases,
      lines.map((line) => JSON.parse(line)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints the differences of all cases. `theirs`: LibreOffice's results. */
function printReport(cases, theirs) {
  const knownCounts = new Map();
  let [comparedCount, formulas, open] = [0, 0, 0];
  for (const [i, { seed, operations, ours }] of cases.entries()) {
    if (theirs[i] === undefined) break;
    comparedCount++;
    const comparison = compareResults(ours, theirs[i], operations);
    formulas += comparison.formulas;
    for (const { reason } of comparison.known) knownCounts.set(reason, (knownCounts.get(reason) ?? 0) + 1);
    if (comparison.open.length > 0 && open++ < Number(options.failures)) {
      console.log(`case ${seed}:`);
      for (const operation of operations) console.log(`  ${JSON.stringify(operation)}`);
      for (const text of comparison.open.slice(0, 8)) console.log(`  ${text}`);
    }
  }
  console.log(
    `${comparedCount} of ${cases.length} workbooks compared, ${formulas} formulas; ${open} workbooks have unknown differences.`,
  );
  for (const [reason, count] of knownCounts) console.log(`${String(count).padStart(6)}  ${reason}`);
  process.exitCode = open > 0 || comparedCount < cases.length ? 1 : 0;
}

await runCases();
