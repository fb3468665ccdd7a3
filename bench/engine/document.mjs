import { formatMachines, readPackageVersion } from '../lib/machine.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';
import { formatBounds } from './bounds.mjs';
import { ENGINE_PAGE } from './page.mjs';
import { formatGrowthTable, formatMeasureRows, HEAD } from './report.mjs';
import { loadFloorResults } from './results.mjs';
import { WORKLOADS } from './workloads.mjs';

/** Writes all stored results of the engine and of the plain loops to the page. */
export function writeDocument({ workloads, growth }) {
  const measuredWorkloads = WORKLOADS.filter(({ id }) => workloads[id] !== undefined);
  const rows = measuredWorkloads.flatMap((workload) => formatMeasureRows(workload, workloads[workload.id]));
  writeDocumentSection(
    'speed',
    `${formatMarkdownTable(HEAD, rows)}\n\n${formatMachineNotes(measuredWorkloads.map(({ id }) => workloads[id]))}`,
  );
  const floors = loadFloorResults();
  if (floors !== null) writeBounds(floors, workloads);
  const grown = Object.values(growth);
  if (grown.length > 0)
    writeDocumentSection('growth', `${formatGrowthTable(growth)}\n\n${GROWTH_NOTE}\n\n${listMachines(grown)}`);
  console.error(`written: ${ENGINE_PAGE.file}`);
}

/** Writes the lower bounds of missed targets to the page. */
export function writeBounds(floors, workloads) {
  writeDocumentSection('floors', formatBounds(floors, workloads));
}

/** Writes a text to one section of the page of engine figures. */
function writeDocumentSection(section, text) {
  writeSection(ENGINE_PAGE.file, section, text, ENGINE_PAGE.skeleton);
}

const GROWTH_NOTE = 'Cellwire alone. Medians of five runs in separate processes.';

/** Formats the versions of the peers, the conditions and the machines, for the foot of a table. */
function formatMachineNotes(entries) {
  const peers = ['hyperformula', '@odoo/o-spreadsheet', '@ironcalc/wasm'].map(
    (name) => `${name} ${readPackageVersion(name)}`,
  );
  return [
    `${peers.join(', ')}. Medians of five runs in separate processes, engines in turn; where there were fewer`,
    'runs (a peer that takes long), their number stands in brackets. “fails”: the engine cannot do it or gives another',
    `result.\n\n${listMachines(entries)}`,
  ].join('\n');
}

/** Formats the machines of several results. */
function listMachines(entries) {
  return formatMachines(entries.map(({ machine }) => machine));
}
