import type { RowDamage } from '@cellwire/store';
import { type IndependentTable, isIndependentTable } from '@cellwire/store/stored-forms';
import { invalidRequest, type Refusal } from '../refusal.ts';

/** Separates the parts of a row's name. */
const SEPARATOR = ':';

/** Names a row for `doctor --accept`: its table and its key, for example `tokens:3`. */
export function formatRowName({ table, key }: Pick<RowDamage, 'table' | 'key'>): string {
  return [table, ...key].join(SEPARATOR);
}

interface NamedRowKey {
  readonly table: IndependentTable;
  readonly key: readonly string[];
}

/** Parses a name of `formatRowName`. */
export function parseRowName(name: string): NamedRowKey | Refusal {
  const [table = '', ...key] = name.trim().split(SEPARATOR);
  return isIndependentTable(table)
    ? { table, key }
    : invalidRequest('accept', `${name} is not the name of a row; cellwire doctor shows them, such as tokens:3`);
}
