const DIGITS = ['ศูนย์', 'หนึ่ง', 'สอง', 'สาม', 'สี่', 'ห้า', 'หก', 'เจ็ด', 'แปด', 'เก้า'];
const PLACES = ['', 'สิบ', 'ร้อย', 'พัน', 'หมื่น', 'แสน'];
const MILLION = 'ล้าน';
const MILLION_DIGITS = 6;

/** Converts up to six digits to Thai words. `after`: true if other digits precede them. */
function groupToWords(digits: string, after: boolean): string {
  let words = '';
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[i]);
    const place = digits.length - 1 - i;
    if (digit === 0) continue;
    const anyBefore = after || words !== '';
    if (place === 0 && digit === 1 && anyBefore) words += 'เอ็ด';
    else if (place === 1 && digit === 1) words += 'สิบ';
    else if (place === 1 && digit === 2) words += 'ยี่สิบ';
    else words += `${DIGITS[digit]}${PLACES[place]}`;
  }
  return words;
}

/** Converts the digits of a whole number to Thai words, in groups of six digits. */
function toThaiWords(digits: string): string {
  let out = '';
  const head = digits.length % MILLION_DIGITS || MILLION_DIGITS;
  for (let from = 0; from < digits.length; ) {
    const to = from === 0 ? head : from + MILLION_DIGITS;
    out += groupToWords(digits.slice(from, to), out !== '');
    if (to < digits.length && out !== '') out += MILLION;
    from = to;
  }
  return out;
}

/**
 * Converts an amount in plain decimal notation with two decimals (`12.50`, `-1.00`) to Thai words for baht and satang.
 */
export function formatBaht(amount: string): string {
  const [baht, satang] = amount.replace('-', '').split('.') as [string, string];
  const sign = amount.startsWith('-') ? 'ลบ' : '';
  const whole = toThaiWords(baht);
  const cents = toThaiWords(satang);
  if (cents === '') return `${sign}${whole === '' ? DIGITS[0] : whole}บาทถ้วน`;
  return `${sign}${whole === '' ? '' : `${whole}บาท`}${cents}สตางค์`;
}
