// node bench/console/run.mjs [--rows 104000] [--steps 200]
//
// Measures the console's grid in a real browser, on a document of ten columns: the time from a key to the paint that
// shows its effect, frames during scrolling, and the time until cells that are not loaded appear. `CHROMIUM` names the
// browser.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { Installation, OWNER } from '../http/service.mjs';
import { describeMachine, formatMachines } from '../lib/machine.mjs';
import { computePercentile, createRandom, formatBytes, formatDuration } from '../lib/stats.mjs';
import { formatMarkdownTable } from '../lib/table.mjs';

const PASSWORD = 'a password of the bench';
const COLUMNS = 10;

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '104000' }, steps: { type: 'string', default: '200' } },
});
const [rows, steps] = [Number(options.rows), Number(options.steps)];

/** Generates the rows of the document: random integers as CSV lines. */
function* generateCsvLines() {
  const random = createRandom(3);
  for (let row = 0; row < rows; row++) {
    yield `${Array.from({ length: COLUMNS }, () => Math.floor(random() * 1e6)).join()}\n`;
  }
}

/** Runs in the page: records the time from each key event to the task after the next paint, and between frames. */
function recordPageTimes() {
  const times = { keys: [], frames: [] };
  window.noted = times;
  const measureUntilPaint = (run) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = run;
      port2.postMessage(null);
    });
  document.addEventListener(
    'keydown',
    ({ timeStamp }) => measureUntilPaint(() => times.keys.push(performance.now() - timeStamp)),
    true,
  );
  let last = performance.now();
  const recordFrame = (now) => {
    times.frames.push(now - last);
    last = now;
    requestAnimationFrame(recordFrame);
  };
  requestAnimationFrame(recordFrame);
}

/** Signs in with the form. Returns the page. */
async function signIn(browser, address) {
  const page = await browser.newPage({ baseURL: address, viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  await page.goto('/');
  await page.getByLabel('E-mail address').fill(OWNER);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Password', { exact: true }).waitFor({ state: 'detached' });
  return page;
}

/** Presses keys as fast as key repeat does, and returns the recorded time of each. */
async function pressKeys(page, keys) {
  await page.evaluate(() => window.noted.keys.splice(0));
  for (let step = 0; step < steps; step++) {
    await page.keyboard.press(keys[step % keys.length]);
    await page.waitForTimeout(30);
  }
  return page.evaluate(() => window.noted.keys.splice(0));
}

/** Turns the mouse wheel and returns the times between frames, in milliseconds. */
async function measureWheelScrolling(page) {
  await page.mouse.move(640, 400);
  await page.evaluate(() => window.noted.frames.splice(0));
  for (let step = 0; step < steps; step++) {
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(16);
  }
  return page.evaluate(() => window.noted.frames.splice(0));
}

/** The time from entering the address of a distant cell until it is shown. */
async function measureJumps(page) {
  const random = createRandom(5);
  const jumpTimes = [];
  for (let jump = 0; jump < 20; jump++) {
    const address = `B${1 + Math.floor(random() * rows)}`;
    const box = page.getByLabel('Selected range');
    await box.fill(address);
    const start = performance.now();
    await box.press('Enter');
    await page.locator(`#cell-${address}:not(.unknown)`).waitFor();
    jumpTimes.push(performance.now() - start);
  }
  return jumpTimes;
}

const folder = mkdtempSync(join(tmpdir(), 'cellwire-console-'));
const machineBefore = describeMachine();
const installation = await new Installation(folder).setUp();
await installation.command('user', 'password', '--user', OWNER, '--password', PASSWORD);
const csv = join(folder, 'numbers.csv');
await pipeline(generateCsvLines, createWriteStream(csv));
const { id } = await installation.document('Numbers', csv);
const service = await installation.start();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});
try {
  const page = await signIn(browser, service.address);
  await page.goto(`/documents/${id}`);
  await page.locator('#cell-A1:not(.unknown)').waitFor();
  await page.locator('.grid-editor').focus();
  await page.evaluate(recordPageTimes);
  const timings = [
    ['an arrow key to paint', await pressKeys(page, ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft'])],
    ['a page down to paint', await pressKeys(page, ['PageDown'])],
    ['a typed character to paint', await pressKeys(page, ['1', '2', '3', 'Escape'])],
    ['a frame while the wheel turns', await measureWheelScrolling(page)],
    ['a jump to cells that are not loaded', await measureJumps(page)],
  ];
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
  const formatRow = ([title, times]) => [
    title,
    ...[0.5, 0.95, 1].map((share) => formatDuration(computePercentile(times, share))),
  ];
  console.log(`${(rows * COLUMNS).toLocaleString('en-US')} cells, ${steps} steps of each\n`);
  console.log(formatMarkdownTable(['what', 'median', '95 %', 'longest'], timings.map(formatRow)));
  console.log(`\nHeap of the page's scripts: ${formatBytes(heap)}. ${formatMachines([machineBefore])}`);
} finally {
  await browser.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
