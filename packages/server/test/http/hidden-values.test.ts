import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type EventStreamReader, openEventStream } from '../notify/event-stream.ts';
import type { ReceivedRequest } from '../notify/receiver.ts';
import { QUICK, subscribe, type TestSubscription, waitForDelivery } from '../notify/support.ts';
import { type Api, type ApiResponse, memberAt, startWorld, type World } from './support.ts';

/** Marks in the secrets of the two documents. No other response contains them. */
const MARKS = ['7410963', '8520741'];

const DAY_MS = 24 * 60 * 60 * 1000;
/** Day 46112 of the documents, independent of the current date. */
const FIRST_DAY = Date.parse('2026-03-31T12:00:00Z');
const startTime = performance.now();
let days = 0;

let world: World;
/** One user edits all documents, because password hashing is slow. */
let editorId: string;
let editorToken: string;
before(async () => {
  const readClock = () => Math.floor(FIRST_DAY + days * DAY_MS + performance.now() - startTime);
  world = await startWorld({ notifications: QUICK, clock: readClock });
  editorId = (await world.createUser()).id;
  editorToken = await world.createToken(editorId);
});
after(() => world.close());

const secret = fc.constantFrom(
  ...['Secret!A1', 'Secret!A2', 'SUM(Secret!A:A)', 'MAX(Secret!A1:B3)', 'VLOOKUP(1;Secret!A1:B9;1)', 'TYPE(Secret!A1)'],
  ...['INDIRECT("Secret!A1")', 'SUM(INDIRECT(E1))', 'LET(f;INDIRECT;f("Secret!A2"))', 'MAP({"Secret!A1"};INDIRECT)'],
  ...['OFFSET(Secret!A1;1;0)', 'FORMULATEXT(Secret!A2)', 'TEXTJOIN("";TRUE;Secret!A1:B3)', 'IFERROR(Secret!A1;2)'],
);
const gate = fc.constantFrom(
  ...['E2="go"', 'NOW()>1', 'RAND()<2', 'ISERROR(A1)', 'A2>4', 'MOD(TODAY();2)=0', 'MOD(NOW();2)>1'],
);
const formula = fc.oneof(
  secret.map((text) => `=${text}`),
  fc.tuple(gate, secret).map(([test_, text]) => `=IF(${test_};${text};0)`),
  fc.constantFrom('=A1&"!"', '=SUM(A1:C3)', '=IFERROR(B1;A2)'),
);
const cellAddress = fc.constantFrom('A1', 'A2', 'B1', 'B2', 'C1', 'C2');
const editing = fc.record({ by: fc.constant('editor' as const), at: cellAddress, input: formula });
const step = fc.oneof(
  { weight: 3, arbitrary: editing },
  fc.record({
    by: fc.constantFrom('owner' as const, 'editor' as const),
    at: fc.constantFrom('E1', 'E2', 'A2'),
    input: fc.constantFrom('Secret!A1', 'Sheet1!A2', 'go', '5'),
  }),
  fc.record({ by: fc.constant('secrets' as const), at: fc.constantFrom('Secret!A1', 'Secret!A2'), kind: fc.nat(4) }),
  fc.record({ by: fc.constant('clock' as const) }),
);
type Editing = typeof editing extends fc.Arbitrary<infer S> ? S : never;
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Creates secrets of one kind. The two documents get different secrets. */
function createSecrets(kind: number, mark: string): readonly (readonly unknown[])[] {
  const number = Number(mark);
  const other = number % 2 === 0;
  const secretsByKind: readonly unknown[][][] = [
    [[number, `text ${mark}`]],
    [[other ? `${mark},5` : `x${mark}`, other ? true : number]],
    [[other ? `=SEQUENCE(3;1;${mark})` : `=1/0*${mark}`, other ? 1 : '2026-05-04']],
    [[other ? '' : number, other ? 'Secret!A1' : '']],
    [['=TODAY()*0+RAND()', other ? `=MOD(TODAY();2)*${mark}` : `=IF(MOD(TODAY();2)=0;"${mark}";${mark})`]],
  ];
  return secretsByKind[kind] ?? [];
}

class DocumentHistory {
  readonly mark: string;
  readonly owner: Api;
  readonly editor: Api;
  private readonly since: string;
  private readonly subscription: TestSubscription;
  private readonly stream: EventStreamReader;
  private readonly responses: unknown[] = [];

  private constructor(
    mark: string,
    owner: Api,
    subscription: TestSubscription,
    stream: EventStreamReader,
    since: string,
  ) {
    this.mark = mark;
    this.owner = owner;
    this.subscription = subscription;
    this.stream = stream;
    this.editor = subscription.book;
    this.since = since;
  }

  /** Creates a document that the editor reads completely until the sheet is hidden. */
  static async create(
    t: Parameters<typeof subscribe>[0],
    mark: string,
    formulas: readonly Editing[],
  ): Promise<DocumentHistory> {
    const owner = await world.createBook();
    await owner.addSheet('Secret');
    await owner.put('Secret!A1', [[1, 2], [3]]);
    await world.share(owner.document, editorId, 'edit');
    const editor = world.apiFor(editorToken, owner.document);
    for (const { at, input } of formulas) await editor.put(at, [[input]]);
    await world.protect(owner.document, 'Secret', { hideValues: true });
    const since = await owner.revision();
    const stream = await openEventStream(t, editor, {}, `?since=${since}`);
    return new DocumentHistory(mark, owner, await subscribe(t, world, editor), stream, since);
  }

  async performStep(step: Step): Promise<void> {
    if (step.by === 'secrets') await this.owner.put(step.at, createSecrets(step.kind, this.mark));
    else if (step.by === 'owner') await this.owner.put(step.at, [[step.input]]);
    else if (step.by === 'editor')
      this.responses.push(this.toComparable(await this.editor.put(step.at, [[step.input]])));
    this.responses.push(this.toComparable(await this.editor.get('A1:F6')));
  }

  /** Everything that the editor can read. */
  async readEditorView(): Promise<readonly unknown[]> {
    const answers = await Promise.all([
      this.editor.get('A:Z'),
      this.editor.batchGet(['A1:C3', 'Secret!A1', 'Secret'], { majorDimension: 'COLUMNS' }),
      this.editor.get('Secret!A1'),
      this.editor.sheets(),
      this.editor.requestInDocument('GET', '/content'),
      this.editor.requestInDocument('GET', '/styles'),
      this.editor.requestInDocument('GET', `/changes?since=${this.since}`),
      this.editor.requestInDocument('GET', '/audit?limit=50'),
      this.editor.request(
        'GET',
        `/values/batchGet?ranges[]=${this.editor.document}!A1:C3&ranges[]=${this.editor.document}!Secret!A1`,
      ),
    ]);
    return [...this.responses, ...answers.map((answer) => this.toComparable(answer))];
  }

  /** The events of the editor's stream, up to the newest revision. */
  async readStreamedEvents(): Promise<readonly unknown[]> {
    const last = await this.owner.revision();
    const events: unknown[] = [];
    for (;;) {
      const event = await this.stream.next();
      if (event === null) throw new Error('the stream ended');
      events.push(this.removeOwnValues(JSON.stringify(event.data)));
      if (String(event.data['revision']) === last) break;
    }
    this.stream.abort();
    return events;
  }

  /** The notifications of the editor, after the last delivery. */
  async readReceivedNotifications(): Promise<readonly ReceivedRequest[]> {
    await this.editor.put('Y9', [['last']]);
    const revision = Number(await this.owner.revision());
    await waitForDelivery(
      this.subscription,
      (delivery) =>
        Number(memberAt(delivery, 'revision')['to']) >= revision && String(delivery['state']) === 'delivered',
    );
    return this.subscription.receiver.received;
  }

  /** A response without values that differ between the documents. */
  private toComparable({ status, headers, body }: ApiResponse): unknown {
    for (const mark of MARKS) assert.equal(`${headers}`.includes(mark), false, `${mark} in ${headers}`);
    return [status, this.removeOwnValues(JSON.stringify(body))];
  }

  private removeOwnValues(text: string): unknown {
    for (const mark of MARKS) assert.equal(text.includes(mark), false, `${mark} in ${text}`);
    return JSON.parse(text.replaceAll(this.owner.document, 'DOCUMENT').replaceAll(OWN_VALUES, '"own":0'));
  }
}

/** Times, commit names, the receiver's address, and ids of log entries and subscriptions. */
const OWN_VALUES = /"(?:createdAt|updatedAt|changedAt|incarnation|address|requestId)":"[^"]*"|"(?:id|webhook)":[0-9]+/g;

test('hidden values do not influence anything that an editor can observe', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(editing, { minLength: 2, maxLength: 5 }),
      fc.array(step, { minLength: 3, maxLength: 7 }),
      async (formulas, steps) => {
        const histories = [];
        for (const mark of MARKS) histories.push(await DocumentHistory.create(t, mark, formulas));
        const secrets: Step = { by: 'secrets', at: 'Secret!A1', kind: 0 };
        const tomorrow: Step = { by: 'clock' };
        for (const next of [secrets, ...steps, tomorrow]) {
          if (next.by === 'clock') days++;
          for (const history of histories) await history.performStep(next);
        }
        const [one, two] = await Promise.all(histories.map((history) => history.readEditorView()));
        assert.deepEqual(one, two);
        const [events, otherEvents] = await Promise.all(histories.map((history) => history.readStreamedEvents()));
        assert.deepEqual(events, otherEvents);
        for (const history of histories) {
          for (const { raw } of await history.readReceivedNotifications()) {
            for (const mark of MARKS) assert.equal(raw.includes(mark), false, raw.toString());
          }
        }
      },
    ),
    { numRuns: 5 },
  );
});
