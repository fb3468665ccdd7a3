// Prints one line for each test file, and for each failed test its name, position, reason, and the first line of this
// repository in the stack.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Maximum characters of a reason. The beginning of a failed comparison of large values is enough. */
const MAX_REASON = 2_000;
const FILE = /\.test\.ts$/;
/** A process that runs several files. */
const PROCESS = /\.mjs$/;
/** A log line of a service that a test started. Services of passing tests log expected errors, too. */
const LOG_LINE = /^\{"level":.*\n?/gm;

/** Turns events of `node:test` into text. */
export async function* report(events) {
  const names = [];
  const failed = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of events) {
    if (type === 'test:start') names[data.nesting] = data.name;
    else if (type === 'test:stderr' || type === 'test:stdout') yield data.message.replaceAll(LOG_LINE, '');
    else if (type === 'test:pass' || type === 'test:fail') {
      const isFile = FILE.test(data.name);
      if (isFile) yield formatFile(type, data);
      // A skipped file counts like a skipped test.
      const isSuite = data.details.type === 'suite' && !(isFile && isSkipped(data));
      if (!isSuite && !PROCESS.test(data.name)) countResult(counts, type, data);
      if (type === 'test:fail' && isFailureItself(data)) failed.push(formatFailure(names.slice(0, data.nesting), data));
    }
  }
  yield failed.length === 0 ? '' : `\n${failed.length} failed:\n\n${failed.join('\n')}`;
  yield `\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`;
}

function formatFile(type, data) {
  if (isSkipped(data)) return `skip ${data.name} (${data.skip})\n`;
  return `${type === 'test:pass' ? 'ok  ' : 'FAIL'} ${data.name} (${formatSeconds(data)})\n`;
}

/**
 * True for a test or a file that did not run. `skip` is its reason, which the report prints: files are skipped for lack
 * of time (run-files.ts), tests if a program such as a browser is missing and no `REQUIRE_` variable demands it.
 */
function isSkipped({ skip }) {
  return skip !== undefined && skip !== false;
}

function countResult(counts, type, data) {
  if (isSkipped(data)) counts.skipped++;
  else if (type === 'test:pass') counts.passed++;
  else counts.failed++;
}

function formatSeconds({ details }) {
  return `${((details.duration_ms ?? 0) / 1000).toFixed(1)} s`;
}

/** False if a test failed only because a nested test failed. */
function isFailureItself({ details, todo }) {
  const isExpected = todo !== undefined && todo !== false;
  return !isExpected && details.error?.failureType !== 'subtestsFailed';
}

function formatFailure(parents, { name, file, line, details: { error } }) {
  const reason = error.message;
  const position = file === undefined ? '' : `${relative(ROOT, file)}:${line}`;
  // An error with values that the test's process cannot send, such as functions, arrives as an object that has no stack
  // and cannot be converted to a text. `inspect` shows it, with its stack.
  const thrown = findOwnLine(error.cause?.stack ?? inspect(error.cause));
  const short = reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)}\n… (${reason.length} characters)` : reason;
  const title = [...parents, name].filter((part) => part !== undefined && !part.endsWith('.mjs')).join(' › ');
  return [`✖ ${title}`, `  ${position}${thrown === null ? '' : `, thrown at ${thrown}`}`, indentText(short), ''].join(
    '\n',
  );
}

/** Finds the first line of a stack that is in this repository. */
function findOwnLine(stack) {
  for (const line of stack.split('\n')) {
    const [, path, at] = /((?:file:\/\/)?\/[^\s()]+?):(\d+):\d+/.exec(line) ?? [];
    if (path === undefined || path.includes('node_modules')) continue;
    const file = path.startsWith('file://') ? fileURLToPath(path) : path;
    if (file.startsWith(ROOT)) return `${relative(ROOT, file)}:${at}`;
  }
  return null;
}

function indentText(text) {
  return text.replaceAll(/^/gm, '    ');
}
