// The driver for Chromium: serves a page that imports the client, opens it in a browser and performs the calls there.
//
//   node chromium.mjs CHROMIUM CLIENT
//
// CHROMIUM is the program, CLIENT the path of the client as one module.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const [, , executablePath, client] = process.argv;
const CALLS = new URL('calls.mjs', import.meta.url);
const PAGE = `<!doctype html><script type="module">
import * as client from '/client.js';
import { performCall } from '/calls.js';
globalThis.perform = (call) => performCall(client, call);
</script>`;
const FILES = {
  '/': ['text/html', PAGE],
  '/client.js': ['text/javascript', readFileSync(client)],
  '/calls.js': ['text/javascript', readFileSync(CALLS)],
};

const server = createServer((request, response) => {
  const [type, content] = FILES[request.url] ?? [];
  if (content === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': type }).end(content);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

// The scripted server of the scenarios has no CORS headers; tests of the service cover them.
const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-web-security'];
const browser = await chromium.launch({ executablePath, args });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
await page.waitForFunction(() => globalThis.perform !== undefined);

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line);
  page
    .evaluate((given) => globalThis.perform(given), call)
    .then((outcome) => process.stdout.write(`${JSON.stringify({ id: call.id, ...outcome })}\n`));
}
await browser.close();
process.exit(0);
