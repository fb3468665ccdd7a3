// The rows of the query benchmark: made-up orders, the same for every engine.
import { createRandom } from '../lib/stats.mjs';

export const COLUMNS = ['Number', 'City', 'Code', 'Sum', 'Quantity', 'Status', 'Customer', 'Note'];
export const STATUSES = ['new', 'open', 'paid', 'sent', 'void'];
export const CITIES = 200;
export const CODES = 10_000;
export const CUSTOMERS = 5_000;
export const MAX_SUM = 100_000;
export const MAX_QUANTITY = 10_000;
const SYLLABLES = [
  'ba',
  'ri',
  'ton',
  'mel',
  'ka',
  'su',
  'vor',
  'ne',
  'li',
  'dra',
  'po',
  'gen',
  'ta',
  'wu',
  'fi',
  'shem',
];

/** A name of three to five syllables; equal for equal numbers. */
export function formatCustomerName(number) {
  const next = createRandom(number);
  const count = 3 + Math.floor(next() * 3);
  let name = '';
  for (let i = 0; i < count; i++) name += SYLLABLES[Math.floor(next() * SYLLABLES.length)];
  return name[0].toUpperCase() + name.slice(1);
}

/** Creates rows in order. */
export class OrderGenerator {
  constructor(seed) {
    this.next = createRandom(seed);
    this.cities = Array.from({ length: CITIES }, (_, i) => formatCustomerName(1_000_000 + i));
    this.customers = Array.from(
      { length: CUSTOMERS },
      (_, i) => `${formatCustomerName(i)} ${formatCustomerName(i + 500_000)}`,
    );
  }

  /** Returns a random integer from 0 up to, but excluding, `count`. */
  drawBelow(count) {
    return Math.floor(this.next() * count);
  }

  /** Values in the order of `COLUMNS`. */
  createRow(i) {
    const city = this.cities[this.drawBelow(CITIES)];
    return [
      `A-${i}`,
      city,
      `C${this.drawBelow(CODES)}`,
      this.drawBelow(MAX_SUM * 100) / 100,
      this.drawBelow(MAX_QUANTITY),
      STATUSES[this.drawBelow(STATUSES.length)],
      this.customers[this.drawBelow(CUSTOMERS)],
      `${formatCustomerName(this.drawBelow(50_000))} to ${city}, ${this.drawBelow(1_000_000)}`,
    ];
  }
}

/** All rows, for a peer or an upload. */
export function* generateRows(seed, count) {
  const orders = new OrderGenerator(seed);
  for (let i = 0; i < count; i++) yield orders.createRow(i);
}
