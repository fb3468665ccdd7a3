import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { type CallOutcome, CLIENTS, type ClientCall, ClientProcess, PYTHON } from './clients.ts';
import { type ScriptedExchange, ScriptedServer } from './scripted-server.ts';

/** A call, the requests and answers that it exchanges with the service, and its outcome. */
interface Scenario {
  readonly name: string;
  readonly call: ClientCall;
  readonly settings?: object;
  readonly exchanges: readonly ScriptedExchange[];
  readonly result?: unknown;
  /** Expected members of the error. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** True if the error must have no other members. */
  readonly exact?: boolean;
  /** A part of the error's message. */
  readonly contains?: string;
  /** A text that no member of the error may contain. */
  readonly lacks?: string;
  readonly progress?: readonly unknown[];
  /** If set, every request must have the same `Idempotency-Key`. */
  readonly keys?: 'same' | 'each';
  /**
   * Runtimes in which the scenario cannot run, because their `fetch` repeats requests, loses bytes, buffers bodies or
   * hides the status of a redirect.
   */
  readonly notIn?: readonly string[];
}

const SCENARIOS = JSON.parse(readFileSync(new URL('scenarios.json', import.meta.url), 'utf8')) as readonly Scenario[];

let server: ScriptedServer;
before(async () => {
  server = await ScriptedServer.start();
});
after(() => server.close());

test(
  'Python is installed for the scenarios',
  { skip: PYTHON === null && 'Python 3.9 or newer is not installed' },
  () => undefined,
);

for (const kind of CLIENTS) {
  suite(`the ${kind.name} client`, { concurrency: kind.concurrency ?? true }, () => {
    let client: ClientProcess;
    before(() => {
      client = new ClientProcess(kind);
    });
    after(() => client.close());

    for (const [i, scenario] of SCENARIOS.entries()) {
      if (scenario.notIn?.includes(kind.name)) continue;
      test(scenario.name, async () => {
        const token = `token-${kind.name.replaceAll(' ', '-')}-${i}`;
        const script = server.addScript(token, scenario.exchanges);
        const outcome = await client.call(server.url, token, scenario.call, scenario.settings);
        assert.deepEqual(script.problems, []);
        assertOutcome(outcome, scenario);
        assert.ok(script.isComplete, 'a request is missing');
        if (scenario.keys !== undefined) {
          assert.ok(script.sentKeys.every((key) => key !== undefined && key.length >= 16));
          assert.equal(new Set(script.sentKeys).size, 1);
        }
        assert.ok(!JSON.stringify(outcome).includes(token), 'the outcome contains the token');
      });
    }
  });
}

function assertOutcome(outcome: CallOutcome, { result, error, exact, contains, lacks, progress }: Scenario): void {
  if (error === undefined) {
    assert.deepEqual(outcome, { result, ...(progress === undefined ? {} : { progress }) });
    return;
  }
  const actual = outcome.error ?? assert.fail(`no error, but ${JSON.stringify(outcome)}`);
  const members = exact ? actual : Object.fromEntries(Object.keys(error).map((name) => [name, actual[name]]));
  assert.deepEqual(members, error, JSON.stringify(actual));
  if (contains !== undefined) assert.ok(String(actual['message']).includes(contains), String(actual['message']));
  if (lacks !== undefined) assert.ok(!JSON.stringify(actual).includes(lacks));
  if (progress !== undefined) assert.deepEqual(outcome.progress, progress);
}
