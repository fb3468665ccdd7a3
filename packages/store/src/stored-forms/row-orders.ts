import { crc32 } from 'node:zlib';

/**
 * The packed row orders of one commit (`RowOrder.targets`), as `commits.row_orders` keeps them: a checksum and each
 * order, divided by line breaks. They stand apart from the areas of the commit, because an order of a million rows takes
 * 4 MB, and only what follows cells needs it.
 */
export function packedOrdersText(packed: readonly string[]): string {
  const body = packed.join('\n');
  return `${crc32(body)}\n${body}`;
}

/** Null if the text is damaged: the orders are then not known. */
export function parsePackedOrders(text: string): readonly string[] | null {
  const [sum, ...packed] = text.split('\n');
  return Number(sum) === crc32(packed.join('\n')) ? packed : null;
}
