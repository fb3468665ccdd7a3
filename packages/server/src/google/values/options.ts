import type { MajorDimension } from '../../service/cells/fill-page.ts';
import { throwWrongType } from '../json.ts';
import type { ValueOptions } from './read.ts';
import type { DateRender, ValueRender } from './render.ts';

const RENDERS: readonly ValueRender[] = ['FORMATTED_VALUE', 'UNFORMATTED_VALUE', 'FORMULA'];
const DATES: readonly DateRender[] = ['SERIAL_NUMBER', 'FORMATTED_STRING'];
const MAJORS: readonly MajorDimension[] = ['ROWS', 'COLUMNS'];
const ENUMS = 'type.googleapis.com/google.apps.sheets.v4';

/** Returns a member of a query or body; undefined if it is absent. */
type GetOption = (name: string) => unknown;

/** The options for rendering values. Their names begin with `response` in writes. */
export function parseValueOptions(get: GetOption, prefix: '' | 'response' = ''): ValueOptions {
  const [render, dates] =
    prefix === ''
      ? ['valueRenderOption', 'dateTimeRenderOption']
      : ['responseValueRenderOption', 'responseDateTimeRenderOption'];
  return {
    major: parseMajorDimension(get),
    render: parseEnumOption(get, render as string, RENDERS, 'ValueRenderOption') ?? 'FORMATTED_VALUE',
    dates: parseEnumOption(get, dates as string, DATES, 'DateTimeRenderOption') ?? 'SERIAL_NUMBER',
  };
}

export function parseMajorDimension(get: GetOption, name = 'majorDimension'): MajorDimension {
  const value = get(name);
  if (value === 'DIMENSION_UNSPECIFIED') return 'ROWS';
  return parseEnumOption(get, name, MAJORS, 'Dimension') ?? 'ROWS';
}

/** One of several words; undefined if it is absent. */
export function parseEnumOption<T extends string>(
  get: GetOption,
  name: string,
  words: readonly T[],
  type: string,
): T | undefined {
  const value = get(name) ?? undefined;
  if (value === undefined || value === '') return undefined;
  const field = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return words.find((word) => word === value) ?? throwWrongType(field, `${ENUMS}.${type}`, value);
}

/** True for a query parameter that is switched on: `true`, `True`, `1`. */
export function isQueryFlagSet(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(?:true|1)$/i.test(value));
}
