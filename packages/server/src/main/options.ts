import { splitColumnList } from '@cellwire/files/column-types';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Shows the examples under the help of a noun and of each of its verbs. */
export function addExamples(noun: Command, examples: string): void {
  for (const command of [noun, ...noun.commands]) command.addHelpText('after', examples);
}

// Parsers of option values; what they throw is shown as wrong usage.

export function parseWholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

/** What part of a list is wanted. */
export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

export function limitOption(): Option {
  return new Option('--limit <n>', 'rows to show (default: all)').argParser(parsePositiveNumber);
}

export function cursorOption(): Option {
  return new Option('--cursor <cursor>', 'where the page before ended: its nextCursor');
}

/** A list with how its next page is asked for. */
export function pageText(text: string, nextCursor: string | null): string {
  return nextCursor === null ? text : `${text}\nMore: --cursor ${nextCursor}`;
}

function parsePositiveNumber(text: string): number {
  const value = parseWholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('It must be 1 or more.');
  return value;
}

export function parseHttpAddress(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('It must be an http or https address, such as http://127.0.0.1:8080.');
  }
  return url;
}

/** `a,b,c`. */
export function parseCommaList(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.some((item) => item === '')) throw new InvalidArgumentError('It must be a list with commas between.');
  return items;
}

/** `name:type,name:type`; given again, it adds to what was given before. */
export function parseColumnTypes(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitColumnList(text)];
}
