import {
  type AttachmentData,
  type ColumnCondition,
  type DateSystem,
  FILTER,
  FILTER_COLUMN,
  type FilterTest,
  filterAttachments,
  parseIsoDate,
  type WorkbookData,
} from '@cellwire/engine';
import { parseXmlBoolean, readXmlText, type XmlAttributes } from '../archive/xml.ts';
import { escapeAttributeValue } from './xml-copy.ts';

// Source for the elements: ECMA-376, part 1, 18.3.2.

/** The element of a column in a filter. */
const COLUMN = /<filterColumn\b[^>]*?(?:\/>|>[\s\S]*?<\/filterColumn>)/g;

/** Converts the filter of a file: the elements of its columns become conditions. */
export function parseFilter(attachmentData: AttachmentData): readonly AttachmentData[] {
  const [area] = attachmentData.areas;
  const [text = '', ...others] = attachmentData.texts;
  if (attachmentData.kind !== FILTER || area === undefined) return [attachmentData];
  const columns = [...text.matchAll(COLUMN)].flatMap(([element]) => {
    const reader = new ColumnFilterReader();
    const isRead = readXmlText(element, reader);
    const column = area.left + reader.offset;
    if (!Number.isInteger(column) || column < area.left || column > area.right) return [];
    return [{ column, condition: (isRead ? reader.buildCondition() : null) ?? { file: element } }];
  });
  const rest = { texts: [text.replace(COLUMN, ''), ...others], formulas: attachmentData.formulas };
  return filterAttachments({ area, columns }, rest);
}

/** Reads the element of one column. */
class ColumnFilterReader {
  offset = Number.NaN;
  private readonly values: string[] = [];
  private readonly dates: string[] = [];
  private readonly tests: FilterTest[] = [];
  private isList = false;
  private isAll = false;
  private isKnown = true;

  openElement(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case 'filterColumn':
        this.offset = Number(attributes['colId']);
        // A hidden filter button can only be preserved with the original element.
        this.isKnown = !isFalse(attributes['showButton']) && !parseXmlBoolean(attributes['hiddenButton']);
        return;
      case 'filters':
        this.isList = true;
        if (parseXmlBoolean(attributes['blank'])) this.values.push('');
        return;
      case 'filter':
        this.values.push(attributes['val'] ?? '');
        return;
      case 'dateGroupItem':
        this.dates.push(formatDateGroup(attributes));
        return;
      case 'customFilters':
        this.isAll = parseXmlBoolean(attributes['and']);
        return;
      case 'customFilter':
        this.tests.push(toFilterTest(attributes['operator'] ?? 'equal', attributes['val'] ?? ''));
        return;
      default:
        this.isKnown = false;
    }
  }

  closeElement(): void {}

  /** Returns the condition; null if this engine cannot evaluate it. */
  buildCondition(): ColumnCondition | null {
    const { values, dates, tests } = this;
    if (!this.isKnown || this.isList === tests.length > 0) return null;
    if (this.isList) return { values, ...(dates.length > 0 ? { dates } : {}) };
    return { tests, match: this.isAll ? 'all' : 'any' };
  }
}

/** True for the XML values of false. */
function isFalse(value: string | undefined): boolean {
  return value === '0' || value === 'false';
}

/** Returns the ISO text of a date group, from the year to the unit of the group. */
function formatDateGroup({ year = '', month, day, hour, minute, second }: XmlAttributes): string {
  const parts = [month, day, hour, minute, second].map((part) => part?.padStart(2, '0'));
  const marks = '--T::';
  let text = year.padStart(4, '0');
  for (const [i, part] of parts.entries()) {
    if (part === undefined) break;
    text += `${marks[i]}${part}`;
  }
  return text;
}

const ORDER_TESTS = {
  greaterThan: 'gt',
  greaterThanOrEqual: 'gte',
  lessThan: 'lt',
  lessThanOrEqual: 'lte',
} as const;

/**
 * Converts a custom filter. A text with wildcards only at its ends becomes the test `contains`, `startsWith` or
 * `endsWith`.
 */
function toFilterTest(operator: string, text: string): FilterTest {
  const order = Object.hasOwn(ORDER_TESTS, operator) ? ORDER_TESTS[operator as keyof typeof ORDER_TESTS] : undefined;
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (order !== undefined) return { op: order, value: Number.isFinite(number) ? number : text };
  const isNot = operator === 'notEqual';
  if (text.trim() === '') return { op: isNot ? 'filled' : 'empty' };
  if (Number.isFinite(number)) return { op: isNot ? 'ne' : 'eq', value: number };
  const [, first, middle = '', last] = /^(\*?)((?:[^*?~]|~[*?~])*)(\*?)$/.exec(text) ?? [];
  if (first === undefined) return { op: isNot ? 'notMatches' : 'matches', value: text };
  const value = middle.replace(/~([*?~])/g, '$1');
  if (first === '' && last === '') return { op: isNot ? 'ne' : 'eq', value };
  if (first !== '' && last !== '') return { op: isNot ? 'notContains' : 'contains', value };
  if (isNot) return { op: 'notMatches', value: text };
  return first === '' ? { op: 'startsWith', value } : { op: 'endsWith', value };
}

interface CustomFilter {
  readonly operator: string;
  readonly val: string;
}

/** True if a file can store a condition. */
export function canFilesStoreCondition(condition: ColumnCondition, system: DateSystem): boolean {
  return formatConditionXml(condition, system) !== null;
}

/** Converts the conditions of filters back to elements for files. */
export function convertFilterConditions(data: WorkbookData): WorkbookData {
  const { dateSystem } = data.settings;
  const sheets = data.sheets.map((sheet) => {
    const { layout } = sheet;
    const attachments = layout?.attachments ?? [];
    if (layout === undefined || !attachments.some(({ kind }) => kind === FILTER_COLUMN)) return sheet;
    return { ...sheet, layout: { ...layout, attachments: replaceConditions(attachments, dateSystem) } };
  });
  return { ...data, sheets };
}

/** Replaces the conditions in the attachments of filters. Other attachments stay unchanged. */
function replaceConditions(items: readonly AttachmentData[], system: DateSystem): readonly AttachmentData[] {
  const area = items.find(({ kind }) => kind === FILTER)?.areas[0];
  const elements: string[] = [];
  for (const { kind, areas, texts } of items) {
    const column = areas[0]?.left;
    if (kind !== FILTER_COLUMN || area === undefined || column === undefined) continue;
    if (column < area.left || column > area.right) continue;
    const condition = JSON.parse(texts[0] ?? '') as ColumnCondition;
    const id = `colId="${column - area.left}"`;
    if ('file' in condition) elements.push(condition.file.replace(/\bcolId="[^"]*"/, id));
    else {
      const content = formatConditionXml(condition, system);
      if (content !== null) elements.push(`<filterColumn ${id}>${content}</filterColumn>`);
    }
  }
  return items
    .filter(({ kind }) => kind !== FILTER_COLUMN)
    .map((attachmentData) =>
      attachmentData.kind === FILTER && elements.length > 0
        ? insertElements(attachmentData, elements.join(''))
        : attachmentData,
    );
}

/** Inserts the elements of columns, which come first in the element of the filter. */
function insertElements(attachmentData: AttachmentData, elements: string): AttachmentData {
  const [text = '', ...others] = attachmentData.texts;
  const opened = text.replace(/^(<autoFilter\b[^>]*?)(\/?)>/, (_, start: string, end: string) =>
    end === '' ? `${start}>${elements}` : `${start}>${elements}</autoFilter>`,
  );
  return { ...attachmentData, texts: [opened, ...others] };
}

/** The XML of a filter's condition; null if Excel has none for it. */
function formatConditionXml(condition: ColumnCondition, system: DateSystem): string | null {
  if ('file' in condition) return condition.file;
  if ('values' in condition) {
    if (condition.except) return null;
    const blank = condition.values.includes('') ? ' blank="1"' : '';
    const filled = condition.values.filter((text) => text !== '');
    const items = filled.map((text) => `<filter val="${escapeAttributeValue(text)}"/>`);
    const content = items.join('') + (condition.dates ?? []).map(formatDateGroupXml).join('');
    return content === '' ? `<filters${blank}/>` : `<filters${blank}>${content}</filters>`;
  }
  const { tests, match } = condition;
  const [only] = tests;
  if (tests.length === 1 && only?.op === 'empty') return '<filters blank="1"/>';
  const pairs = tests.map((test) => toCustomFilters(test, system));
  const isPair = tests.length === 1 || (match === 'all' ? true : pairs.every((pair) => pair?.length === 1));
  const custom = pairs.flatMap((pair) => pair ?? []);
  if (!isPair || pairs.includes(null) || custom.length > 2) return null;
  const all = custom.length === 2 && (match === 'all' || tests.length === 1) ? ' and="1"' : '';
  const items = custom.map(({ operator, val }) => {
    const named = operator === 'equal' ? '' : ` operator="${operator}"`;
    return `<customFilter${named} val="${escapeAttributeValue(val)}"/>`;
  });
  return `<customFilters${all}>${items.join('')}</customFilters>`;
}

/** The XML of a filter for all dates that begin like this, such as `2026-03`. */
function formatDateGroupXml(beginning: string): string {
  const parts = beginning.split(/[-T:]/);
  const names = ['year', 'month', 'day', 'hour', 'minute', 'second'];
  const attributes = parts.map((part, i) => ` ${names[i]}="${Number(part)}"`).join('');
  return `<dateGroupItem${attributes} dateTimeGrouping="${names[parts.length - 1]}"/>`;
}

/** Returns the one or two custom filters that are equivalent to a test; null if files cannot store it. */
function toCustomFilters({ op, value = '', to = '' }: FilterTest, system: DateSystem): readonly CustomFilter[] | null {
  const literal = String(value).replace(/[*?~]/g, '~$&');
  const toSingleFilter = (operator: string, val: string) => [{ operator, val }];
  const toDayNumber = (bound: string | number) => (typeof bound === 'string' ? parseIsoDate(bound, system) : null);
  const [from, end] = [toDayNumber(value), toDayNumber(to)];
  const after = (moment: typeof from, bound: string | number) =>
    moment === null ? String(bound) : String(moment.timed ? moment.serial : moment.serial + 1);
  const start = from === null ? String(value) : String(from.serial);
  const upTo = (moment: typeof from, bound: string | number) => ({
    operator: moment === null || moment.timed ? 'lessThanOrEqual' : 'lessThan',
    val: after(moment, bound),
  });
  switch (op) {
    case 'contains':
      return toSingleFilter('equal', `*${literal}*`);
    case 'notContains':
      return toSingleFilter('notEqual', `*${literal}*`);
    case 'startsWith':
      return toSingleFilter('equal', `${literal}*`);
    case 'endsWith':
      return toSingleFilter('equal', `*${literal}`);
    case 'matches':
      return toSingleFilter('equal', String(value));
    case 'notMatches':
      return toSingleFilter('notEqual', String(value));
    case 'eq':
      if (from === null) return toSingleFilter('equal', typeof value === 'number' ? start : literal);
      return from.timed
        ? toSingleFilter('equal', start)
        : [{ operator: 'greaterThanOrEqual', val: start }, upTo(from, value)];
    case 'ne':
      return from === null ? toSingleFilter('notEqual', typeof value === 'number' ? start : literal) : null;
    case 'gt':
      return toSingleFilter(from === null || from.timed ? 'greaterThan' : 'greaterThanOrEqual', after(from, value));
    case 'gte':
      return toSingleFilter('greaterThanOrEqual', start);
    case 'lt':
      return toSingleFilter('lessThan', start);
    case 'lte':
      return [upTo(from, value)];
    case 'between':
      return [{ operator: 'greaterThanOrEqual', val: start }, upTo(end, to)];
    case 'empty':
      return null;
    case 'filled':
      return toSingleFilter('notEqual', ' ');
  }
}
