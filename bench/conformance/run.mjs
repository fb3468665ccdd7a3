// npm run conformance -- DIR [--scorer FILE] [--write] [options of the scorer]
// See README.md beside this file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINE_PAGE } from '../engine/page.mjs';
import { machine, machinesText } from '../lib/machine.mjs';
import { writeSection } from '../lib/table.mjs';

const ADAPTER = fileURLToPath(new URL('./adapter.mjs', import.meta.url));
const USAGE = 'usage: npm run conformance -- DIR [--scorer FILE] [--write] [options of the scorer]';

const { directory, scorer, write, rest } = readArguments(process.argv.slice(2));
const output = await score();
if (write) {
  const foot = `${machinesText([machine()])} Corpus: \`${basename(resolve(directory))}\`.`;
  writeSection(
    ENGINE_PAGE.file,
    'conformance',
    `\`\`\`text\n${output.trim()}\n\`\`\`\n\n${foot}`,
    ENGINE_PAGE.skeleton,
  );
  console.error(`written: ${ENGINE_PAGE.file}`);
}

function readArguments(words) {
  const [directory, ...others] = words;
  if (directory === undefined || directory.startsWith('--')) fail(USAGE);
  const rest = others.filter((word) => word !== '--write');
  const at = rest.indexOf('--scorer');
  const scorer =
    at < 0 ? join(dirname(resolve(directory)), 'score.mjs') : resolve(rest.splice(at, 2)[1] ?? fail(USAGE));
  if (!existsSync(scorer)) fail(`There is no scorer at ${scorer}; name it with --scorer FILE.`);
  return { directory, scorer, write: others.includes('--write'), rest };
}

function fail(message) {
  console.error(message);
  process.exit(2);
}

/** What the scorer prints, shown as it comes. */
async function score() {
  const child = spawn(process.execPath, [scorer, ADAPTER, ...rest, resolve(directory)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const part of child.stdout.setEncoding('utf8')) {
    process.stdout.write(part);
    text += part;
  }
  return text;
}
