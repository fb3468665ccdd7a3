import {
  APOSTROPHE,
  AT,
  COLON,
  DOLLAR,
  HASH,
  isDigit,
  isWordStart,
  LEFT_BRACKET,
  LEFT_PARENTHESIS,
} from './characters.ts';
import { findDigitsEnd } from './literals.ts';
import { getCodeAt, type Scan, skipBlanksFrom } from './scan.ts';

/** True if the text after a blank makes the blank an operator. */
export function startsReference(s: Scan, position: number): boolean {
  const code = getCodeAt(s, position);
  if (isDigit(code)) {
    const colon = skipBlanksFrom(s, findDigitsEnd(s, position));
    return getCodeAt(s, colon) === COLON;
  }
  return (
    isWordStart(code) ||
    code === DOLLAR ||
    code === APOSTROPHE ||
    code === LEFT_PARENTHESIS ||
    code === LEFT_BRACKET ||
    code === AT ||
    code === HASH
  );
}
