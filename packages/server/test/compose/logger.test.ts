import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';

const LOGGER = new URL('../../src/compose/logger.ts', import.meta.url).href;
/** Few enough to fit into the pipe and the request log's buffer. */
const LINES = 100;

/** The standard error of a process that writes LINES lines of each log, executes `last` and kills itself. */
function runLogger(last: string): Promise<readonly string[]> {
  const program = `
    const { createLoggers } = await import(${JSON.stringify(LOGGER)});
    const loggers = createLoggers('info');
    for (let i = 0; i < ${LINES}; i++) {
      loggers.main.error({ i }, 'failed');
      const by = { address: '192.0.2.1', user: null, token: null, document: null };
      const asked = { traceId: null, method: 'GET', route: null, path: '/', status: 200, ms: 1 };
      loggers.requests({ requestId: String(i), ...asked, ...by });
    }
    ${last};
    process.kill(process.pid, 'SIGKILL');`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', program], (_error, _stdout, stderr) =>
      resolve(stderr.split('\n').slice(0, -1)),
    );
  });
}

test('closing the loggers writes all lines', async () => {
  const lines = (await runLogger('await loggers.close()')).map((line) => JSON.parse(line) as Record<string, unknown>);
  const expected = Array.from({ length: LINES }, (_, i) => i);
  const failed = lines.filter(({ msg }) => msg === 'failed');
  assert.deepEqual(
    failed.map(({ i }) => i),
    expected,
  );
  const requests = lines.filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    requests.map(({ requestId }) => Number(requestId)),
    expected,
  );
});

test('logging and closing after the end do not fail', async () => {
  const close = 'await loggers.close()';
  const lines = await runLogger(`${close}; loggers.main.error('late'); ${close}; console.error('ok')`);
  assert.deepEqual(lines.slice(2 * LINES), ['ok']);
});
