import { crc32 } from 'node:zlib';

/**
 * Formats the packed row orders of one commit (`RowOrder.targets`) for `commits.row_orders`: a checksum and the orders,
 * separated by line breaks. They are stored separately from the areas, because an order of a million rows takes 4 MB,
 * and only code that tracks cells needs it.
 */
export function formatPackedOrders(packed: readonly string[]): string {
  const body = packed.join('\n');
  return `${crc32(body)}\n${body}`;
}

/** Parses packed orders; null if the text is damaged, so that the orders are not known. */
export function parsePackedOrders(text: string): readonly string[] | null {
  const [sum, ...packed] = text.split('\n');
  return Number(sum) === crc32(packed.join('\n')) ? packed : null;
}
