import { open } from 'node:fs/promises';

/** A format that is neither CSV nor `.xlsx`. */
interface ForeignFormat {
  /** Matches the beginning of a file, decoded as Latin-1. */
  readonly start: RegExp;
  /** Message that tells what the file is and what to do. */
  readonly message: string;
  /** True if a text file could begin in the same way. */
  readonly isText: boolean;
}

const ADVICE = 'Open it in a spreadsheet program and save it as “Excel Workbook (.xlsx)”.';

const FORMATS: readonly ForeignFormat[] = [
  {
    start: /^PK(?:\x03\x04|\x05\x06|\x07\x08)/,
    isText: false,
    message:
      'The file is not a text file but a workbook (.xlsx) or another archive. Rename it to .xlsx, or send it with the content type of .xlsx.',
  },
  {
    start: /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1|^\x09[\x00\x02\x04\x08][\x04-\x08]\x00/,
    isText: false,
    message: 'The file is in the old binary format (.xls). Save it as “Excel Workbook (.xlsx)” first.',
  },
  { start: /^\x1f\x8b/, isText: false, message: 'The file is compressed (gzip). Unpack it first.' },
  {
    start: /^%PDF-\d/,
    isText: true,
    message:
      'The file is a PDF document, which contains no cells. Export the table as .xlsx or .csv from the program that made it.',
  },
  { start: /^PAR1[\x00-\x1f]/, isText: false, message: 'The file is a Parquet file. Convert it to .csv or .xlsx.' },
  { start: /^SQLite format 3\0/, isText: false, message: 'The file is an SQLite database. Export its tables as .csv.' },
  {
    start: /^(?:\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a)/,
    isText: false,
    message: 'The file is an image. Only .xlsx and .csv files can be imported.',
  },
  {
    start: /^\{\\rtf\d/,
    isText: true,
    message: `The file is a text document (RTF), not an .xlsx workbook or CSV. ${ADVICE}`,
  },
  {
    start: /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?<office:document[\s>]/,
    isText: true,
    message: `The file is a flat OpenDocument file (.fods), not an .xlsx workbook or CSV. ${ADVICE}`,
  },
  {
    start: /^\s*<\?xml[^>]*>\s*(?:<\?mso-application progid="Excel\.Sheet"|<(?:\w+:)?Workbook\s)/,
    isText: true,
    message: `The file is an XML spreadsheet of Excel 2003, not an .xlsx workbook or CSV. ${ADVICE}`,
  },
  {
    start: /^\s*<\?xml\s[^>]*>\s*</,
    isText: true,
    message: `The file is an XML file, not an .xlsx workbook or CSV. ${ADVICE}`,
  },
  {
    start: /^\s*(?:<!doctype html|<html[\s>]|<table[\s>]|<meta\s)[\s\S]*<\/?(?:table|tr|head|body)\b/i,
    isText: true,
    message: `The file is a web page (HTML), not an .xlsx workbook or CSV. ${ADVICE}`,
  },
  {
    start: /^ID;P[^\r\n]*\r?\n(?:P;P|B;[XY]|C;[XY]|F;[PWDM]|O;)/,
    isText: true,
    message: `The file is in the format SYLK (.slk), not an .xlsx workbook or CSV. ${ADVICE}`,
  },
  {
    start: /^TABLE\r?\n0,1\r?\n"/,
    isText: true,
    message: `The file is in the format DIF (.dif), not an .xlsx workbook or CSV. ${ADVICE}`,
  },
  {
    start: /^\s*(?:\{\s*"[^"\n]*"\s*:|\[\s*\{\s*")/,
    isText: true,
    message: 'The file contains JSON. Write its records with records/append, or convert it to .csv.',
  },
];

/** Number of bytes at the start of a file that show its format. */
export const HEAD_BYTES = 4096;
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/**
 * Returns the message for a file in a known format other than CSV and `.xlsx`; null for all other files.
 * `isTextAllowed`: formats that consist of text are accepted as CSV.
 */
export async function describeForeignFile(path: string, isTextAllowed: boolean): Promise<string | null> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return describeForeignFormat(buffer.subarray(0, bytesRead), isTextAllowed);
  } finally {
    await file.close();
  }
}

/** Returns the message as `describeForeignFile` does, for the first `HEAD_BYTES` bytes of a file. */
export function describeForeignFormat(head: Buffer, isTextAllowed: boolean): string | null {
  const text = head.toString('latin1').replace(BYTE_ORDER_MARK, '');
  const format = FORMATS.find(({ start, isText }) => !(isText && isTextAllowed) && start.test(text));
  return format?.message ?? null;
}
