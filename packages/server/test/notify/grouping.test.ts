import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addCommit,
  type ClockReading,
  closeDueWindows,
  computeNextPosition,
  findNextClose,
  type GroupedCommit,
  isGrouped,
  type LogPosition,
  type OpenWindow,
  type WindowGrouping,
} from '../../src/notify/grouping.ts';

const SETTINGS = { quietMs: 2_000, maxWaitMs: 10_000 };
const LATE = 10 ** 9;

/** Creates a reading where both clocks agree. */
function createReading(at: number): ClockReading {
  return { now: at, steady: at };
}

function startGroupingAt(revision_: number): WindowGrouping {
  return { seen: revision_, open: new Map(), closed: [] };
}

/** Lists the windows of a complete log, as `[source, first, last]`. */
function listWindows(commits: readonly GroupedCommit[]): readonly (readonly [string, number, number])[] {
  const grouping = commits.reduce(
    (sum, commit) => addCommit(sum, commit, createReading(commit.at), SETTINGS),
    startGroupingAt(0),
  );
  return closeDueWindows(grouping, LATE).closed.map(({ source, first, last }) => [source, first, last] as const);
}

/** Creates commits at the given seconds, all of one source unless written as `source@second`. */
function createCommits(...moments: readonly (number | string)[]): readonly GroupedCommit[] {
  return moments.map((moment, i) => {
    const [source = '', second] = typeof moment === 'string' ? moment.split('@') : ['a', String(moment)];
    return { revision: i + 1, at: Number(second) * 1000, source };
  });
}

const CASES: readonly (readonly [string, readonly GroupedCommit[], readonly (readonly [string, number, number])[]])[] =
  [
    ['one edit', createCommits(0), [['a', 1, 1]]],
    ['edits less than the quiet time apart', createCommits(0, 1.9, 3.8), [['a', 1, 3]]],
    [
      'an edit when the quiet time is over',
      createCommits(0, 2),
      [
        ['a', 1, 1],
        ['a', 2, 2],
      ],
    ],
    [
      'edits that never pause: the maximum wait',
      createCommits(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
      [
        ['a', 1, 10],
        ['a', 11, 12],
      ],
    ],
    [
      'two sources in turns',
      createCommits('a@0', 'b@1', 'a@1.5', 'b@2.5', 'a@6'),
      [
        ['a', 1, 3],
        ['b', 2, 4],
        ['a', 5, 5],
      ],
    ],
    ['a clock that goes back', createCommits(5, 4, 6.5), [['a', 1, 3]]],
  ];
for (const [name, commits, expected] of CASES) {
  test(name, () => assert.deepEqual([...listWindows(commits)].sort(compareByLast), [...expected].sort(compareByLast)));
}

/** Orders windows, as `[source, first, last]`, by their last revision. */
function compareByLast(a: readonly [string, number, number], b: readonly [string, number, number]): number {
  return a[2] - b[2];
}

const anyLog = fc
  .array(fc.record({ passed: fc.nat(4_000), source: fc.constantFrom('a', 'b', 'browser') }), { maxLength: 60 })
  .map((steps) => {
    let at = 0;
    return steps.map(({ passed, source }, i): GroupedCommit => {
      at += passed;
      return { revision: i + 1, at, source };
    });
  });

/** Groups a log while the process crashes after some commits. A crash keeps only the stored position. */
function groupWithCrashes(commits: readonly GroupedCommit[], crashes: ReadonlySet<number>): readonly OpenWindow[] {
  const storedWindows: OpenWindow[] = [];
  let position: LogPosition = { grouped: 0, ahead: {} };
  let grouping = startGroupingAt(0);
  const store = (now: number) => {
    grouping = closeDueWindows(grouping, now);
    if (grouping.closed.length === 0) return;
    storedWindows.push(...grouping.closed);
    position = computeNextPosition(grouping, position);
    grouping = { ...grouping, closed: [] };
  };
  const read = (to: number, now: number) => {
    for (const commit of commits) {
      if (commit.revision <= grouping.seen || commit.revision > to) continue;
      if (isGrouped(position, commit)) grouping = { ...grouping, seen: commit.revision };
      else grouping = addCommit(grouping, commit, createReading(now), SETTINGS);
    }
  };
  for (const { revision, at } of commits) {
    if (crashes.has(revision)) grouping = startGroupingAt(position.grouped);
    read(revision, at);
    store(at);
  }
  store(LATE);
  return storedWindows;
}

test('crashes neither lose nor repeat a commit', () => {
  fc.assert(
    fc.property(anyLog, fc.array(fc.nat(60)), (commits, crashes) => {
      const windows = groupWithCrashes(commits, new Set(crashes));
      for (const { revision, source } of commits) {
        const containing = windows.filter(
          (one) => one.source === source && one.first <= revision && revision <= one.last,
        );
        assert.equal(containing.length, 1, `revision ${revision} of ${source} is in ${containing.length} windows`);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('crashes do not change windows, which depend on commit times only', () => {
  const sortWindows = (windows: readonly OpenWindow[]) =>
    windows.map(({ source, first, last }) => [source, first, last]).sort();
  fc.assert(
    fc.property(anyLog, fc.array(fc.nat(60)), (commits, crashes) => {
      assert.deepEqual(
        sortWindows(groupWithCrashes(commits, new Set(crashes))),
        sortWindows(groupWithCrashes(commits, new Set())),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('no window is open longer than the maximum wait', () => {
  fc.assert(
    fc.property(anyLog, (commits) => {
      for (const { firstAt, lastAt } of groupWithCrashes(commits, new Set()))
        assert.ok(lastAt - firstAt < SETTINGS.maxWaitMs);
    }),
  );
});

/** A process that follows a log while its clock jumps. Commit times use the same clock and never decrease. */
const anyJumpingClock = fc.array(
  fc.record({
    passed: fc.nat(4_000),
    jump: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      fc.constantFrom(3_600_000, -3_600_000, 40 * 86_400_000, -40 * 86_400_000, 1_500, -1_500),
    ),
    source: fc.constantFrom('a', 'b'),
  }),
  { minLength: 1, maxLength: 40 },
);

test('a window closes within the quiet time and the maximum wait of real time, despite clock jumps', () => {
  fc.assert(
    fc.property(anyJumpingClock, (steps) => {
      let [steady, offset, last] = [0, 10 ** 12, 0];
      let grouping = startGroupingAt(0);
      const opened = new Map<string, { first: number; last: number }>();
      const closeDueUntil = (until: number) => {
        for (let at = findNextClose(grouping); at <= until; at = findNextClose(grouping)) {
          grouping = { ...closeDueWindows(grouping, at), closed: [] };
          for (const [source, { first, last: newest }] of opened) {
            if (grouping.open.has(source)) continue;
            assert.ok(at <= newest + SETTINGS.quietMs && at <= first + SETTINGS.maxWaitMs, 'closed too late');
            opened.delete(source);
          }
        }
      };
      for (const [i, { passed, jump, source }] of steps.entries()) {
        steady += passed;
        closeDueUntil(steady);
        offset += jump;
        last = Math.max(last, steady + offset);
        const before = grouping.open.get(source)?.first;
        grouping = addCommit(
          grouping,
          { revision: i + 1, at: last, source },
          { now: steady + offset, steady },
          SETTINGS,
        );
        grouping = { ...grouping, closed: [] };
        const isNew = grouping.open.get(source)?.first !== before;
        opened.set(source, { first: isNew ? steady : (opened.get(source)?.first ?? steady), last: steady });
      }
      closeDueUntil(steady + SETTINGS.quietMs);
      assert.equal(grouping.open.size, 0, 'a window was held back');
    }),
    { numRuns: 1_000 },
  );
});

test('a commit from the future is notified after the quiet time since its detection', () => {
  for (const offset_ of [3_600_000, 40 * 86_400_000]) {
    const grouping = addCommit(
      startGroupingAt(0),
      { revision: 1, at: offset_, source: 'a' },
      { now: 0, steady: 50 },
      SETTINGS,
    );
    assert.equal(findNextClose(grouping), 50 + SETTINGS.quietMs);
  }
});
