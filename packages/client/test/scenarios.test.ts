import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { type Call, CLIENTS, ClientProcess, type Outcome, PYTHON } from './clients.ts';
import { type Exchange, ScriptedServer } from './scripted-server.ts';

/** A call, the requests that it makes with the answers to them, and what the caller gets. */
interface Scenario {
  readonly name: string;
  readonly call: Call;
  readonly settings?: object;
  readonly exchanges: readonly Exchange[];
  readonly result?: unknown;
  /** Members of the error. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** Whether the error has no other members. */
  readonly exact?: boolean;
  /** Parts of the error's message, and what it must not have. */
  readonly contains?: string;
  readonly lacks?: string;
  readonly progress?: readonly unknown[];
  /** Whether all requests have the same `Idempotency-Key`, or each has one. */
  readonly keys?: 'same' | 'each';
  /** Runtimes whose `fetch` repeats a request, loses bytes, or sends a body only when it is whole. */
  readonly notIn?: readonly string[];
}

const SCENARIOS = JSON.parse(readFileSync(new URL('scenarios.json', import.meta.url), 'utf8')) as readonly Scenario[];

let server: ScriptedServer;
before(async () => {
  server = await ScriptedServer.start();
});
after(() => server.close());

test('Python runs the scenarios', { skip: PYTHON === null && 'Python 3.9 or newer is not installed' }, () => undefined);

for (const kind of CLIENTS) {
  suite(`the ${kind.name} client`, { concurrency: true }, () => {
    let client: ClientProcess;
    before(() => {
      client = new ClientProcess(kind);
    });
    after(() => client.close());

    for (const [i, scenario] of SCENARIOS.entries()) {
      if (scenario.notIn?.includes(kind.name)) continue;
      test(scenario.name, async () => {
        const token = `token-${kind.name.replaceAll(' ', '-')}-${i}`;
        const script = server.add(token, scenario.exchanges);
        const outcome = await client.call(server.url, token, scenario.call, scenario.settings);
        assert.deepEqual(script.problems, []);
        check(outcome, scenario);
        assert.ok(script.isWhole, 'a request is missing');
        if (scenario.keys !== undefined) {
          assert.ok(script.sentKeys.every((key) => key !== undefined && key.length >= 16));
          assert.equal(new Set(script.sentKeys).size, 1);
        }
        assert.ok(!JSON.stringify(outcome).includes(token), 'the token is in what the caller sees');
      });
    }
  });
}

function check(outcome: Outcome, { result, error, exact, contains, lacks, progress }: Scenario): void {
  if (error === undefined) {
    assert.deepEqual(outcome, { result, ...(progress === undefined ? {} : { progress }) });
    return;
  }
  const found = outcome.error ?? assert.fail(`no error, but ${JSON.stringify(outcome)}`);
  const members = exact ? found : Object.fromEntries(Object.keys(error).map((name) => [name, found[name]]));
  assert.deepEqual(members, error, JSON.stringify(found));
  if (contains !== undefined) assert.ok(String(found['message']).includes(contains), String(found['message']));
  if (lacks !== undefined) assert.ok(!JSON.stringify(found).includes(lacks));
  if (progress !== undefined) assert.deepEqual(outcome.progress, progress);
}
