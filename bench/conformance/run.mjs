// npm run conformance -- DIR [--scorer FILE] [--write] [options of the scorer]
// See README.md in this folder.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINE_PAGE } from '../engine/page.mjs';
import { describeMachine, formatMachines } from '../lib/machine.mjs';
import { writeSection } from '../lib/table.mjs';
import { formatDifferences, parseScorerOutput } from './differences.mjs';

const ADAPTER = fileURLToPath(new URL('./adapter.mjs', import.meta.url));
/** Options that request all failures, to count them by class. No corpus has so many. */
const ALL_FAILURES = ['--failures', '1000000'];
const USAGE = 'usage: npm run conformance -- DIR [--scorer FILE] [--write] [options of the scorer]';

const { directory, scorer, write, rest } = parseArguments(process.argv.slice(2));
const output = await runScorer();
if (write) {
  const { summary, failures } = parseScorerOutput(output);
  const foot = `${formatMachines([describeMachine()])} Corpus: \`${basename(resolve(directory))}\`.`;
  writeSection(
    ENGINE_PAGE.file,
    'conformance',
    `\`\`\`text\n${summary.trim()}\n\`\`\`\n\n${foot}`,
    ENGINE_PAGE.skeleton,
  );
  writeSection(ENGINE_PAGE.file, 'differences', formatDifferences(failures), ENGINE_PAGE.skeleton);
  console.error(`written: ${ENGINE_PAGE.file}`);
}

/** Splits the command line into the corpus folder, the scorer, the option `--write`, and the scorer's own options. */
function parseArguments(words) {
  const [directory, ...scorerOptions] = words;
  if (directory === undefined || directory.startsWith('--')) exitWithError(USAGE);
  const rest = scorerOptions.filter((word) => word !== '--write');
  const at = rest.indexOf('--scorer');
  const scorer =
    at < 0 ? join(dirname(resolve(directory)), 'score.mjs') : resolve(rest.splice(at, 2)[1] ?? exitWithError(USAGE));
  if (!existsSync(scorer)) exitWithError(`There is no scorer at ${scorer}; name it with --scorer FILE.`);
  return { directory, scorer, write: scorerOptions.includes('--write'), rest };
}

function exitWithError(message) {
  console.error(message);
  process.exit(2);
}

/** The scorer's output. It is also printed immediately, unless it will be written to the page. */
async function runScorer() {
  const options = write ? [...rest, ...ALL_FAILURES] : rest;
  const child = spawn(process.execPath, [scorer, ADAPTER, ...options, resolve(directory)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    if (!write) process.stdout.write(part);
    text += part;
  }
  if (write) process.stdout.write(parseScorerOutput(text).summary);
  return text;
}
