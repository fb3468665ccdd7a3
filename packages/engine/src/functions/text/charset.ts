/** Characters of Windows-1252 for the codes 128–159; the other codes up to 255 are the same in Unicode. */
const HIGH_CONTROLS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const FIRST_HIGH = 128;
const QUESTION_MARK = 63;

const CODES: ReadonlyMap<string, number> = new Map([...HIGH_CONTROLS].map((c, i) => [c, FIRST_HIGH + i]));

/** The character of a Windows-1252 code, 1–255. */
export function toCharacter(code: number): string {
  return HIGH_CONTROLS[code - FIRST_HIGH] ?? String.fromCharCode(code);
}

/**
 * Returns the Windows-1252 code of a text's first character; the code of `?` if the code page does not contain it, as
 * in Excel.
 */
export function toCharacterCode(text: string): number {
  const high = CODES.get(text[0]!);
  if (high !== undefined) return high;
  const unit = text.charCodeAt(0);
  return unit < FIRST_HIGH || (unit > 159 && unit < 256) ? unit : QUESTION_MARK;
}

/** True if a UTF-16 unit is a two-byte character of the East Asian code pages. */
function isWide(unit: number): boolean {
  return (
    (unit >= 0x1100 && unit <= 0x11ff) ||
    (unit >= 0x2e80 && unit <= 0xa4cf) ||
    (unit >= 0xac00 && unit <= 0xd7a3) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    (unit >= 0xfe30 && unit <= 0xfe4f) ||
    (unit >= 0xff00 && unit <= 0xff60) ||
    (unit >= 0xffe0 && unit <= 0xffe6)
  );
}

/**
 * The length of a text in bytes, as LENB and similar functions count: two for an East Asian wide character, one for
 * others.
 */
export function countBytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) bytes += isWide(text.charCodeAt(i)) ? 2 : 1;
  return bytes;
}

/** The number of UTF-16 units in the first `bytes` bytes. Omits a wide character of which only half would fit. */
export function countUnitsOfBytes(text: string, bytes: number): number {
  let left = bytes;
  for (let i = 0; i < text.length; i++) {
    left -= isWide(text.charCodeAt(i)) ? 2 : 1;
    if (left < 0) return i;
  }
  return text.length;
}

const SURROGATE = /[\ud800-\udfff]/;

/** Length in code points: a surrogate pair is one character, as in Excel's compatibility version 2. */
export function countCharacters(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The number of UTF-16 units in the first `count` characters. */
export function countUnitsOfCharacters(text: string, count: number): number {
  if (count >= text.length) return text.length;
  if (!SURROGATE.test(text)) return count;
  let units = 0;
  let left = count;
  for (const character of text) {
    if (left-- === 0) break;
    units += character.length;
  }
  return units;
}

const HALF_KATAKANA = '｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ';
const FULL_KATAKANA =
  '。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜';
const VOICED_BASE = 'カキクケコサシスセソタチツテトハヒフヘホウ';
const VOICED = 'ガギグゲゴザジズゼゾダヂヅデドバビブベボヴ';
const SEMI_VOICED_BASE = 'ハヒフヘホ';
const SEMI_VOICED = 'パピプペポ';
/** ASCII characters whose wide form in the Japanese code page is not their code plus 0xFEE0. */
const ODD_HALF = ' "\'`\\';
const ODD_FULL = '　”’‘￥';
const WIDE_SHIFT = 0xfee0;

const TO_FULL = mapCharacters(HALF_KATAKANA + ODD_HALF, FULL_KATAKANA + ODD_FULL);
const TO_HALF = mapCharacters(FULL_KATAKANA + ODD_FULL, HALF_KATAKANA + ODD_HALF);
const VOICE = mapCharacters(VOICED_BASE, VOICED);
const SEMI_VOICE = mapCharacters(SEMI_VOICED_BASE, SEMI_VOICED);
const UNVOICE = mapCharacters(VOICED, VOICED_BASE);
const SEMI_UNVOICE = mapCharacters(SEMI_VOICED, SEMI_VOICED_BASE);

/** A map from each character of `from` to the character of `to` at the same position. */
function mapCharacters(from: string, to: string): ReadonlyMap<string, string> {
  return new Map([...from].map((c, i) => [c, to[i]!]));
}

/** Replaces half-width letters and katakana by full-width ones (DBCS, JIS). */
export function toFullWidth(text: string): string {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    const unit = text.charCodeAt(i);
    const full = TO_FULL.get(c) ?? (unit > 0x20 && unit < 0x7f ? String.fromCharCode(unit + WIDE_SHIFT) : c);
    const mark = text[i + 1];
    const joined = mark === 'ﾞ' ? VOICE.get(full) : mark === 'ﾟ' ? SEMI_VOICE.get(full) : undefined;
    if (joined !== undefined && c !== full) i++;
    out += joined !== undefined && c !== full ? joined : full;
  }
  return out;
}

/** Replaces full-width letters and katakana by half-width ones (ASC). */
export function toHalfWidth(text: string): string {
  let out = '';
  for (const c of text) {
    const unit = c.charCodeAt(0);
    const plain = UNVOICE.get(c);
    const semi = SEMI_UNVOICE.get(c);
    if (plain !== undefined) out += `${TO_HALF.get(plain)}ﾞ`;
    else if (semi !== undefined) out += `${TO_HALF.get(semi)}ﾟ`;
    else out += TO_HALF.get(c) ?? (unit >= 0xff01 && unit <= 0xff5e ? String.fromCharCode(unit - WIDE_SHIFT) : c);
  }
  return out;
}
