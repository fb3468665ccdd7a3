import { splitColumnList } from '@cellwire/files/column-types';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** Adds examples to the help of a command and of its subcommands. */
export function addExamples(noun: Command, examples: string): void {
  for (const command of [noun, ...noun.commands]) command.addHelpText('after', examples);
}

// Parsers of option values. Their errors are shown as wrong usage.

export function parseWholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}

/** The requested page of a list. */
export interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

export function createLimitOption(): Option {
  return new Option('--limit <n>', 'rows to show (default: all)').argParser(parsePositiveNumber);
}

export function createCursorOption(): Option {
  return new Option('--cursor <cursor>', 'nextCursor of the previous page');
}

/** A list followed by the option for its next page. */
export function formatPage(text: string, nextCursor: string | null): string {
  return nextCursor === null ? text : `${text}\nMore: --cursor ${nextCursor}`;
}

export function parsePositiveNumber(text: string): number {
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
  if (items.some((item) => item === '')) throw new InvalidArgumentError('It must be a comma-separated list.');
  return items;
}

/** Parses `name:type,name:type`. If the option is repeated, the lists are joined. */
export function parseColumnTypes(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitColumnList(text)];
}

/** Ends the command with a usage error if one of the options, which would have no effect, was given. */
export function refuseOptions(command: Command, names: readonly string[], reason: string): void {
  const name = names.find((one) => command.getOptionValueSource(one) === 'cli');
  if (name === undefined) return;
  const flag = command.options.find((option) => option.attributeName() === name)?.long ?? name;
  command.error(`error: option '${flag}' ${reason}`);
}
