import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runSynchronously } from '@cellwire/event-loop';
import fc from 'fast-check';
import type { RowGuard } from '../src/database/database.ts';
import type { SqliteUnitResult, UnitStatements } from '../src/sqlite/transaction.ts';
import { packResults, UnitReceiver, UnitSender, unpackResults } from '../src/sqlite/unit-message.ts';

const GUARDS: readonly RowGuard[] = [
  { rows: 1, conflict: 'revision' },
  { rows: 0, conflict: 'gone' },
];
const value = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true }),
  fc.constant(null),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => bytes.subarray(bytes.length >> 1)),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => {
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    return shared;
  }),
);
const statement = fc
  .record({ sql: fc.constantFrom('a', 'b', 'c'), parameters: fc.array(value, { maxLength: 4 }), guard: fc.nat(2) })
  .map(({ guard, ...rest }) => (GUARDS[guard] ? { ...rest, guard: GUARDS[guard] } : rest));
const unit: fc.Arbitrary<UnitStatements> = fc.record({ statements: fc.array(statement, { maxLength: 4 }) });

function createResult({ statements }: UnitStatements, kind: number): SqliteUnitResult {
  if (kind === 1) return { kind: 'conflict', conflict: 'revision' };
  if (kind === 2) return { kind: 'failed', scope: 'transaction', code: 'SQLITE_FULL', message: 'the disk is full' };
  const rows = kind === 3 ? [{ id: 7 }] : [];
  return { kind: 'committed', results: statements.map((_, i) => ({ changes: i, rows })) };
}

describe('a message with units to the writer thread', () => {
  it('arrives unchanged, also after other messages', () => {
    fc.assert(
      fc.property(fc.array(fc.array(unit, { maxLength: 5 }), { maxLength: 5 }), (batches) => {
        const sender = new UnitSender();
        const receiver = new UnitReceiver();
        for (const units of batches) {
          const received = receiver.readUnits(structuredClone(runSynchronously(sender.createMessage(units))));
          assert.deepEqual(
            received,
            units.map(({ statements }) => ({ statements })),
          );
        }
      }),
    );
  });

  it('has the result of each unit as its answer', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(unit, fc.nat(3)), { maxLength: 6 }), (pairs) => {
        const units = pairs.map(([each]) => each);
        const results = pairs.map(([each, kind]) => createResult(each, kind));
        assert.deepEqual(unpackResults(structuredClone(packResults(results)), units), results);
      }),
    );
  });
});
