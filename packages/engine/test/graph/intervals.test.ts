import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { IntervalSet } from '../../src/graph/interval-set.ts';
import { type Interval, IntervalIndex } from '../../src/grid/interval-index.ts';

const LAST = 60;
const rows = fc.tuple(fc.nat(LAST), fc.nat(LAST)).map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }));

function listMembers(set: IntervalSet): number[] {
  const rows: number[] = [];
  set.forEach((first, last) => {
    for (let row = first; row <= last; row++) rows.push(row);
  });
  return rows;
}

function createSet(intervals: readonly { first: number; last: number }[]): IntervalSet {
  const set = new IntervalSet();
  for (const { first, last } of intervals) set.add(first, last);
  return set;
}

function createRowSet(intervals: readonly { first: number; last: number }[]): Set<number> {
  const set = new Set<number>();
  for (const { first, last } of intervals) for (let row = first; row <= last; row++) set.add(row);
  return set;
}

const sortAscending = (set: ReadonlySet<number>) => [...set].sort((a, b) => a - b);

describe('a set of rows', () => {
  it('contains each added row once, in order, and reports new rows', () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 20 }), (added) => {
        const set = new IntervalSet();
        const addedRows = new Set<number>();
        for (const { first, last } of added) {
          const fresh: number[] = [];
          set.add(first, last, (a, b) => {
            for (let row = a; row <= b; row++) fresh.push(row);
          });
          const expected: number[] = [];
          for (let row = first; row <= last; row++) if (!addedRows.has(row)) expected.push(row);
          assert.deepEqual(fresh, expected);
          for (const row of expected) addedRows.add(row);
        }
        assert.deepEqual(listMembers(set), sortAscending(addedRows));
        assert.equal(set.rows, addedRows.size);
      }),
    );
  });

  it('finds members, overlaps, next rows and differences', () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 12 }), fc.array(rows, { maxLength: 12 }), rows, (a, b, probe) => {
        const set = createSet(a);
        const rowSet = createRowSet(a);
        const within = sortAscending(rowSet).filter((row) => row >= probe.first && row <= probe.last);
        assert.equal(set.has(probe.first), rowSet.has(probe.first));
        assert.equal(set.hasAnyRow(probe.first, probe.last), within.length > 0);
        assert.equal(set.findNextRow(probe.first), sortAscending(rowSet).find((row) => row >= probe.first) ?? -1);
        const otherSet = createRowSet(b);
        assert.deepEqual(
          listMembers(set.subtract(createSet(b))),
          sortAscending(rowSet).filter((row) => !otherSet.has(row)),
        );
      }),
    );
  });
});

/** Cells and short ranges, some of them close together and some of them far from all others. */
const shortRows = fc
  .tuple(fc.oneof(fc.nat(3), fc.nat(LAST), fc.nat(1_000_000)), fc.nat(3))
  .map(([first, more]) => ({ first, last: first + more }));

describe('the index of intervals', () => {
  for (const { title, intervals } of [
    { title: 'intervals of any length', intervals: rows },
    { title: 'short intervals', intervals: shortRows },
  ]) {
    const step = fc.oneof(
      { weight: 5, arbitrary: intervals.map((interval) => ({ kind: 'add' as const, interval })) },
      { weight: 2, arbitrary: fc.nat(1000).map((pick) => ({ kind: 'remove' as const, pick })) },
      { weight: 2, arbitrary: intervals.map((interval) => ({ kind: 'query' as const, interval })) },
    );
    it(`finds exactly the ${title} that overlap given rows, after insertions and removals`, () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
          const index = new IntervalIndex<Interval>();
          const live: Interval[] = [];
          for (const next of steps) {
            if (next.kind === 'add') {
              const interval = { ...next.interval, dead: false };
              live.push(interval);
              index.add(interval);
            } else if (next.kind === 'remove' && live.length > 0) {
              const [removed] = live.splice(next.pick % live.length, 1);
              index.remove(removed as Interval);
            } else if (next.kind === 'query') {
              const { first, last } = next.interval;
              const actual: Interval[] = [];
              index.collectIntersecting(first, last, actual);
              assert.equal(new Set(actual).size, actual.length, 'none is found twice');
              const expected = live.filter((interval) => interval.first <= last && interval.last >= first);
              assert.equal(actual.length, expected.length);
              // Compares by identity, because a removed interval can have the same rows as a present one.
              assert.ok(expected.every((interval) => actual.includes(interval)));
            }
            assert.equal(index.size, live.length);
          }
        }),
        { numRuns: 200 },
      );
    });
  }
});
