import type { HistoryCall, SequentialModel } from './linearizable.ts';

/** Number of cells in the first row that each hold a number; appended rows follow below. */
export const REGISTERS = 3;

/**
 * An operation of a client on a document. Each value is written once, so that a read identifies the write. Members
 * that are known only from a response are null without one.
 */
export type Operation =
  | { readonly kind: 'put'; readonly register: number; readonly value: number }
  /** A write if the register still holds the value that was read. A refused write has no effect. */
  | {
      readonly kind: 'swap';
      readonly register: number;
      readonly expected: number;
      readonly value: number;
      readonly isRefused: boolean;
    }
  /** `row`: row of the value, counted from the first appended row. */
  | { readonly kind: 'append'; readonly value: number; readonly row: number | null }
  | { readonly kind: 'read'; readonly registers: readonly number[] }
  /** A read of the whole document. */
  | { readonly kind: 'readAll'; readonly registers: readonly number[]; readonly rows: readonly number[] };

interface Document {
  readonly registers: readonly number[];
  readonly rows: readonly number[];
}

export const documentModel: SequentialModel<Document, Operation> = {
  first: { registers: Array.from({ length: REGISTERS }, () => 0), rows: [] },
  createKey: ({ registers, rows }) => `${registers.join()}|${rows.join()}`,
  apply: (document, operation) => {
    const { registers, rows } = document;
    switch (operation.kind) {
      case 'put':
        return { rows, registers: registers.with(operation.register, operation.value) };
      case 'swap': {
        if (operation.isRefused) return document;
        if (registers[operation.register] !== operation.expected) return null;
        return { rows, registers: registers.with(operation.register, operation.value) };
      }
      case 'append':
        if (operation.row !== null && operation.row !== rows.length) return null;
        return { registers, rows: [...rows, operation.value] };
      case 'read':
        return haveSameNumbers(registers, operation.registers) ? document : null;
      case 'readAll':
        return haveSameNumbers(registers, operation.registers) && haveSameNumbers(rows, operation.rows)
          ? document
          : null;
    }
  },
};

function haveSameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/**
 * Removes writes without a response whose value no read returned. The remaining history has a valid order exactly if
 * the whole one does, because such a write may never have happened. Each of these writes would double the number of
 * states to check.
 */
export function removeUnobserved(calls: readonly HistoryCall<Operation>[]): readonly HistoryCall<Operation>[] {
  const observedValues = new Set<number>();
  for (const { operation } of calls) {
    if (operation.kind === 'read' || operation.kind === 'readAll')
      for (const one of operation.registers) observedValues.add(one);
    if (operation.kind === 'readAll') for (const one of operation.rows) observedValues.add(one);
    if (operation.kind === 'swap' && !operation.isRefused) observedValues.add(operation.expected);
  }
  return calls.filter(
    ({ operation, returned }) => returned !== null || !('value' in operation) || observedValues.has(operation.value),
  );
}
