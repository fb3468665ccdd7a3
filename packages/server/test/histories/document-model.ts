import type { Call, Model } from './linearizable.ts';

/** Cells of the first row that hold a number each; rows are appended below them. */
export const REGISTERS = 3;

/**
 * What a client did to a document. Values are written once each, so that every read tells which write it saw. A member
 * that only an answer can tell is null where none came.
 */
export type Operation =
  | { readonly kind: 'put'; readonly register: number; readonly value: number }
  /** A write on condition that the register still holds what was read. Refused: without effect, for whatever reason. */
  | {
      readonly kind: 'swap';
      readonly register: number;
      readonly expected: number;
      readonly value: number;
      readonly isRefused: boolean;
    }
  /** `row`: where it was written, counted from the first appended one. */
  | { readonly kind: 'append'; readonly value: number; readonly row: number | null }
  | { readonly kind: 'read'; readonly registers: readonly number[] }
  /** The whole document. */
  | { readonly kind: 'readAll'; readonly registers: readonly number[]; readonly rows: readonly number[] };

interface Document {
  readonly registers: readonly number[];
  readonly rows: readonly number[];
}

export const documentModel: Model<Document, Operation> = {
  first: { registers: Array.from({ length: REGISTERS }, () => 0), rows: [] },
  key: ({ registers, rows }) => `${registers.join()}|${rows.join()}`,
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
        return areSame(registers, operation.registers) ? document : null;
      case 'readAll':
        return areSame(registers, operation.registers) && areSame(rows, operation.rows) ? document : null;
    }
  },
};

function areSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/**
 * A history without writes that got no answer and whose value nobody ever saw: it is explained exactly if the whole one
 * is, since such a write may have come never as well. They would double the courses to look at, each of them.
 */
export function withoutUnseen(calls: readonly Call<Operation>[]): readonly Call<Operation>[] {
  const seen = new Set<number>();
  for (const { operation } of calls) {
    if (operation.kind === 'read' || operation.kind === 'readAll') for (const one of operation.registers) seen.add(one);
    if (operation.kind === 'readAll') for (const one of operation.rows) seen.add(one);
    if (operation.kind === 'swap' && !operation.isRefused) seen.add(operation.expected);
  }
  return calls.filter(
    ({ operation, returned }) => returned !== null || !('value' in operation) || seen.has(operation.value),
  );
}
