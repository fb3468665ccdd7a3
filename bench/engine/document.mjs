import { machinesText, versionOf } from '../lib/machine.mjs';
import { markdownTable, writeSection } from '../lib/table.mjs';
import { ENGINE_PAGE } from './page.mjs';
import { growthTable, HEAD, rowsOf } from './report.mjs';
import { WORKLOADS } from './workloads.mjs';

export function writeDocument({ workloads, growth }) {
  const measured = WORKLOADS.filter(({ id }) => workloads[id] !== undefined);
  const rows = measured.flatMap((workload) => rowsOf(workload, workloads[workload.id]));
  write('speed', `${markdownTable(HEAD, rows)}\n\n${notes(measured.map(({ id }) => workloads[id]))}`);
  if (Object.keys(growth).length > 0) write('growth', `${growthTable(growth)}\n\n${notes(Object.values(growth))}`);
  console.error(`written: ${ENGINE_PAGE.file}`);
}

function write(section, text) {
  writeSection(ENGINE_PAGE.file, section, text, ENGINE_PAGE.skeleton);
}

function notes(entries) {
  const peers = ['hyperformula', '@odoo/o-spreadsheet', '@ironcalc/wasm'].map((name) => `${name} ${versionOf(name)}`);
  return [
    `${peers.join(', ')}. Medians of five runs in processes of their own, engines in turn; where there were fewer`,
    'runs (a peer that takes long), their number stands in brackets. “fails”: the engine cannot do it or gives another',
    `result.\n\n${machinesText(entries.map(({ machine }) => machine))}`,
  ].join('\n');
}
