import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { IntervalSet } from '../../src/graph/interval-set.ts';
import { type Interval, IntervalIndex } from '../../src/grid/interval-index.ts';

const LAST = 60;
const rows = fc.tuple(fc.nat(LAST), fc.nat(LAST)).map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }));

function members(set: IntervalSet): number[] {
  const found: number[] = [];
  set.forEach((first, last) => {
    for (let row = first; row <= last; row++) found.push(row);
  });
  return found;
}

function setOf(intervals: readonly { first: number; last: number }[]): IntervalSet {
  const set = new IntervalSet();
  for (const { first, last } of intervals) set.add(first, last);
  return set;
}

function plain(intervals: readonly { first: number; last: number }[]): Set<number> {
  const set = new Set<number>();
  for (const { first, last } of intervals) for (let row = first; row <= last; row++) set.add(row);
  return set;
}

const ascending = (set: ReadonlySet<number>) => [...set].sort((a, b) => a - b);

describe('a set of rows', () => {
  it('holds added rows in order and once, and returns the new ones', () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 20 }), (added) => {
        const set = new IntervalSet();
        const known = new Set<number>();
        for (const { first, last } of added) {
          const fresh: number[] = [];
          set.add(first, last, (a, b) => {
            for (let row = a; row <= b; row++) fresh.push(row);
          });
          const expected: number[] = [];
          for (let row = first; row <= last; row++) if (!known.has(row)) expected.push(row);
          assert.deepEqual(fresh, expected);
          for (const row of expected) known.add(row);
        }
        assert.deepEqual(members(set), ascending(known));
        assert.equal(set.rows, known.size);
      }),
    );
  });

  it('answers membership, meetings, searches and differences', () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 12 }), fc.array(rows, { maxLength: 12 }), rows, (a, b, probe) => {
        const set = setOf(a);
        const held = plain(a);
        const within = ascending(held).filter((row) => row >= probe.first && row <= probe.last);
        assert.equal(set.has(probe.first), held.has(probe.first));
        assert.equal(set.meets(probe.first, probe.last), within.length > 0);
        assert.equal(set.next(probe.first), ascending(held).find((row) => row >= probe.first) ?? -1);
        const other = plain(b);
        assert.deepEqual(
          members(set.without(setOf(b))),
          ascending(held).filter((row) => !other.has(row)),
        );
      }),
    );
  });
});

describe('the index of intervals', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: rows.map((interval) => ({ kind: 'add' as const, interval })) },
    { weight: 2, arbitrary: fc.nat(1000).map((pick) => ({ kind: 'remove' as const, pick })) },
    { weight: 2, arbitrary: rows.map((interval) => ({ kind: 'query' as const, interval })) },
  );

  it('finds exactly the intervals that meet the rows, over insertions and removals', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const index = new IntervalIndex<Interval>();
        const live: Interval[] = [];
        for (const next of steps) {
          if (next.kind === 'add') {
            const interval = { ...next.interval, dead: false };
            live.push(interval);
            index.add(interval);
          } else if (next.kind === 'remove' && live.length > 0) {
            const [gone] = live.splice(next.pick % live.length, 1);
            index.remove(gone as Interval);
          } else if (next.kind === 'query') {
            const { first, last } = next.interval;
            const found: Interval[] = [];
            index.find(first, last, found);
            assert.equal(new Set(found).size, found.length, 'none is found twice');
            const expected = live.filter((held) => held.first <= last && held.last >= first);
            assert.equal(found.length, expected.length);
            // Compares identities: a removed interval can have the same rows as a present one.
            assert.ok(expected.every((held) => found.includes(held)));
          }
          assert.equal(index.size, live.length);
        }
      }),
      { numRuns: 200 },
    );
  });
});
