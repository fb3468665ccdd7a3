import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTemporaryFolder } from './support.ts';

const CHILD = fileURLToPath(new URL('./small-heap-child.ts', import.meta.url));

function startChild(t: TestContext): ChildProcess {
  // Only the exit code matters, not the message of V8.
  const child = fork(CHILD, [createTemporaryFolder(t)], { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.disconnect();
    await once(child, 'exit');
  });
  return child;
}

/** The result of a task in a process whose threads have 32 MiB each; rejects if the process ends. */
function perform(child: ChildProcess, task: string, argument: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const onExit = (code: number | null, signal: string | null) =>
    reject(new Error(`The process ended under ${task} ${argument}: ${code ?? signal}`));
  child.once('exit', onExit);
  child.once('message', (answer: string) => {
    child.off('exit', onExit);
    resolve(answer);
  });
  child.send([task, argument]);
  return promise;
}

/** Formulas whose arrays, texts or lists take more than 32 MiB, one for each function that creates them. */
const TOO_LARGE: readonly string[] = [
  ...['=SUM(SEQUENCE(5000;1000))', '=SEQUENCE(9000;1000)', '=RANDARRAY(9000;1000)', '=SUM(MUNIT(3900))'],
  ...[
    '=SUM(EXPAND(1;1000000;9;0))',
    '=SUM(MAKEARRAY(9000;1000;LAMBDA(a;b;a)))',
    '=LEN(REPT("x";SEQUENCE(9000;1000;0;0)))',
  ],
  ...['=SUM(MMULT(SEQUENCE(4000);SEQUENCE(1;4000)))', '=SUM(SEQUENCE(4000)*SEQUENCE(1;4000))'],
  ...['=SUM(IF(SEQUENCE(4000)>SEQUENCE(1;4000);1;2))', '=SUM(SWITCH(SEQUENCE(4000);SEQUENCE(1;4000);1;2))'],
  ...[
    '=SUM(-(SEQUENCE(9000;1000)))',
    '=SUM(POWER(SEQUENCE(4000);SEQUENCE(1;4000)))',
    '=SUM(SCAN(0;SEQUENCE(9000;1000);LAMBDA(a;b;a)))',
  ],
  ...[
    '=ROWS(VSTACK(SEQUENCE(1000000;9);1))',
    '=ROWS(HSTACK(SEQUENCE(1000000;9);1))',
    '=ROWS(TOCOL(SEQUENCE(1000;9000)))',
  ],
  ...[
    '=ROWS(SORT(SEQUENCE(1000000;9)))',
    '=ROWS(UNIQUE(SEQUENCE(1000000;9)))',
    '=MODE(SEQUENCE(1000000;9))',
    '=MEDIAN(SEQUENCE(1000000;9))',
  ],
  ...[
    '=SUM(LEN(SUBSTITUTE(REPT("ab";SEQUENCE(4000;1;16000;0));"a";"xy")))',
    '=ROWS(SEQUENCE(1000000)&REPT("я";30000))',
    '=COUNTUNIQUE(SEQUENCE(1000000;9))',
  ],
  ...[
    '=ROWS(WRAPROWS(SEQUENCE(1000000);9))',
    '=ROWS(WRAPROWS(SEQUENCE(1000000);16000))',
    '=LET(a;SEQUENCE(1000000);b;a+1;c;b+1;d;c+1;e;d+1;SUM(a;b;c;d;e))',
  ],
  ...['=TREND(SEQUENCE(1000000;9))', '=SUM(TRANSPOSE(SEQUENCE(1000000;9)))', '=WORKDAY(1;1;SEQUENCE(9000;1000))'],
];

test('a formula whose arrays are larger than the memory of its thread is refused, and the process keeps running', async (t) => {
  const child = startChild(t);
  for (const formula of TOO_LARGE) {
    assert.equal(await perform(child, 'enter', formula), 'calculationLimit', formula);
  }
  assert.equal(await perform(child, 'enter', '=SUM(SEQUENCE(1000;100))'), 'calculated');
});

test('a task that needs more memory than its thread has is refused or done, and the process keeps running', async (t) => {
  const child = startChild(t);
  const tasks = {
    importFormula: [
      'SUM(_xlfn.SEQUENCE(5000,1000))',
      '_xlfn.SEQUENCE(100000,1000)',
      'SUM(MMULT(_xlfn.SEQUENCE(9000),_xlfn.SEQUENCE(1,9000)))',
    ],
    importLine: ['x', '1,'],
    importTexts: ['150000'],
    importShared: ['many', 'one'],
    enterTexts: ['200000', '20000'],
    sort: [''],
  };
  for (const [task, inputs] of Object.entries(tasks)) {
    for (const input of inputs) t.diagnostic(`${task} ${input}: ${await perform(child, task, input)}`);
  }
  assert.equal(await perform(child, 'enter', '=SUM(1;2)'), 'calculated');
  assert.equal(await perform(child, 'importFormula', 'SUM(1,2)'), 'made');
});
