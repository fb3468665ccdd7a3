import {
  TOKEN_CHAR,
  TOKEN_COLOR,
  TOKEN_COMMA,
  TOKEN_DATETIME,
  TOKEN_ESCAPED,
  TOKEN_LOCALE,
  TOKEN_MINUS,
  TOKEN_POINT,
  TOKEN_SLASH,
  TOKEN_SPACE,
  TOKEN_STRING,
  TOKEN_TEXT,
  type Token,
} from 'numfmt';
import { DAY_SECONDS, isShownDay, toCalendarDate } from './calendar.ts';
import type { DateSystem } from './date-system.ts';
import { type NumberFormatter, splitSections } from './fixed-format.ts';

/** A literal or a date field. `Y` is a four-digit year, `y` a two-digit year, `M` the month, `m` the minute. */
type DatePiece = string | { readonly field: 'Y' | 'y' | 'M' | 'd' | 'h' | 'm' | 's'; readonly padded: boolean };

const TIME_FIELDS = 'hms';

/**
 * Creates a fast formatter for the most common date codes: year, month, day, hour, minute and second as numbers, with
 * literals between them, and an optional text section. Returns null for all other codes (names, AM/PM, elapsed time,
 * fractions of seconds). The formatter returns null for days that the date system cannot show.
 */
export function createDateFormatter(tokens: readonly Token[], system: DateSystem): NumberFormatter | null {
  const sections = splitSections(tokens);
  const rest = sections[1] ?? [];
  if (sections.length > 2 || rest.some((token) => token.type !== TOKEN_TEXT)) return null;
  const pieces = readPieces(sections[0] ?? []);
  if (!pieces?.some((piece) => typeof piece !== 'string')) return null;
  const timed = pieces.some((piece) => typeof piece !== 'string' && TIME_FIELDS.includes(piece.field));
  return (value) => {
    let day = Math.floor(value);
    let time = timed ? Math.round((value - day) * DAY_SECONDS) : 0;
    if (time >= DAY_SECONDS) {
      day += 1;
      time = 0;
    }
    return isShownDay(day, system) && isShownDay(Math.floor(value), system)
      ? writePieces(pieces, day, time, system)
      : null;
  };
}

function readPieces(tokens: readonly Token[]): readonly DatePiece[] | null {
  const pieces: DatePiece[] = [];
  let last: string | null = null;
  for (const [index, token] of tokens.entries()) {
    if (token.type === TOKEN_DATETIME) {
      const next = tokens.slice(index + 1).find((other) => other.type === TOKEN_DATETIME);
      const piece = parseDateField(token.value.toLowerCase(), last, next?.value.toLowerCase());
      if (piece === null) return null;
      pieces.push(piece);
      last = piece.field;
      continue;
    }
    const literal = parseLiteral(token);
    if (literal === null) return null;
    pieces.push(literal);
  }
  return pieces;
}

function parseLiteral(token: Token): string | null {
  switch (token.type) {
    case TOKEN_STRING:
    case TOKEN_ESCAPED:
    case TOKEN_CHAR:
    case TOKEN_SLASH:
    case TOKEN_MINUS:
    case TOKEN_POINT:
    case TOKEN_COMMA:
      return token.value;
    case TOKEN_SPACE:
      return ' ';
    case TOKEN_COLOR:
      return '';
    // A locale number only changes names, and codes supported here have none. F400 and F800 stand for system formats.
    case TOKEN_LOCALE:
      return PLAIN_LOCALE.test(token.value) ? '' : null;
    default:
      return null;
  }
}

const PLAIN_LOCALE = /^-0{0,4}[0-9A-E][0-9A-F]{2,3}$/i;

/**
 * Returns the field of a code. `m` is a minute directly after an hour or second, or directly before a second; otherwise
 * it is a month.
 */
function parseDateField(
  code: string,
  previousCode: string | null,
  nextCode: string | undefined,
): Exclude<DatePiece, string> | null {
  switch (code) {
    case 'yyyy':
      return { field: 'Y', padded: true };
    case 'yy':
      return { field: 'y', padded: true };
    case 'd':
    case 'dd':
      return { field: 'd', padded: code.length > 1 };
    case 'h':
    case 'hh':
      return { field: 'h', padded: code.length > 1 };
    case 's':
    case 'ss':
      return { field: 's', padded: code.length > 1 };
    case 'm':
    case 'mm': {
      const minute = previousCode === 'h' || previousCode === 's' || nextCode?.startsWith('s') === true;
      return { field: minute ? 'm' : 'M', padded: code.length > 1 };
    }
    default:
      return null;
  }
}

function writePieces(pieces: readonly DatePiece[], day: number, time: number, system: DateSystem): string {
  const civil = toCalendarDate(day, system);
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else if (piece.field === 'Y') text += civil.year >= 1000 ? civil.year : String(civil.year).padStart(4, '0');
    else text += formatDigits(piece.padded, readDateField(piece.field, civil, time));
  }
  return text;
}

function formatDigits(padded: boolean, value: number): string {
  return padded && value < 10 ? `0${value}` : String(value);
}

function readDateField(
  field: string,
  civil: { readonly year: number; readonly month: number; readonly day: number },
  time: number,
): number {
  if (field === 'd') return civil.day;
  if (field === 'M') return civil.month;
  if (field === 'y') return civil.year % 100;
  if (field === 'h') return Math.floor(time / 3600);
  if (field === 'm') return Math.floor(time / 60) % 60;
  return time % 60;
}
