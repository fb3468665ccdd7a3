import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEFAULT_FILE_LIMITS, type FileLimits, isRefusal } from '../src/index.ts';
import { createSingleSheetParts, createTestFolder, MAIN, readBack, writeZip } from './workbook-files.ts';

const folder = await createTestFolder();

async function readRefusalMessage(path: string, limits?: Partial<FileLimits>): Promise<string> {
  const result = await readBack(path, { ...DEFAULT_FILE_LIMITS, ...limits });
  return isRefusal(result) ? result.message : 'read without a refusal';
}

/** The header and directory of a compound file with one stream. */
function createCompoundFile(stream: string): Buffer {
  const file = Buffer.alloc(2048);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file);
  file.writeUInt16LE(9, 30); // sectors of 2^9 bytes
  file.writeUInt32LE(1, 48); // the directory is sector 1, after the header and sector 0
  Buffer.from('Root Entry', 'utf16le').copy(file, 1024);
  Buffer.from(stream, 'utf16le').copy(file, 1024 + 128);
  return file;
}

const FILES: readonly [content: Buffer | string, expected: RegExp, why: string][] = [
  ['', /empty/, 'an empty file'],
  ['a;b;c\n1;2;3\n', /not an \.xlsx workbook/, 'a text file'],
  ['<html><table/></html>', /not an \.xlsx workbook/, 'a web page'],
  [createCompoundFile('EncryptedPackage'), /password/, 'a protected workbook'],
  [createCompoundFile('Workbook'), /\.xls\b.*Save it as/, 'a workbook of the old format'],
  ['PK\u0003\u0004 and no more', /damaged/, 'the beginning of an archive'],
];

for (const [content, expected, why] of FILES) {
  test(`refuses a file that is not .xlsx, with the reason: ${why}`, async () => {
    const path = join(folder, 'strange.xlsx');
    await writeFile(path, content);
    assert.match(await readRefusalMessage(path), expected);
  });
}

const ROW = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>';
const SHEET = 'xl/worksheets/sheet1.xml';

/** The parts of a workbook with sheets of these names. */
function createPartsWithSheets(...names: readonly string[]): Record<string, string | Buffer> {
  const sheets = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="r1"/>`);
  const workbook = `<workbook ${MAIN} xmlns:r="x"><sheets>${sheets.join('')}</sheets></workbook>`;
  return { ...createSingleSheetParts(''), 'xl/workbook.xml': workbook };
}

/** The parts of a workbook with defined names, which are given as XML. */
function createPartsWithNames(names: string): Record<string, string | Buffer> {
  const parts = createPartsWithSheets('Data');
  const workbook = String(parts['xl/workbook.xml']).replace(
    '</workbook>',
    `<definedNames>${names}</definedNames></workbook>`,
  );
  return { ...parts, 'xl/workbook.xml': workbook };
}

const PACKAGES: readonly [parts: Record<string, string | Buffer>, expected: RegExp, why: string][] = [
  [{ 'content.xml': '<x/>', mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }, /\.ods/, 'OpenDocument'],
  [{ 'xl/workbook.bin': 'x' }, /\.xlsb/, 'the binary format'],
  [{ 'word/document.xml': '<x/>' }, /no Excel workbook/, 'another kind of document'],
  [
    createSingleSheetParts('', { [SHEET]: `<worksheet ${MAIN}><sheetData><row></sheetData>` }),
    /sheet1\.xml cannot be read/,
    'broken XML',
  ],
  [
    createSingleSheetParts('', { [SHEET]: Buffer.from([0x3c, 0x61, 0x3e, 0xff, 0xfe, 0x3c]) }),
    /cannot be read/,
    'bytes that are no text',
  ],
  [
    createSingleSheetParts('', {
      [SHEET]: `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><worksheet ${MAIN}><sheetData>&b;</sheetData></worksheet>`,
    }),
    /document type/,
    'entities that multiply',
  ],
  [
    createSingleSheetParts('<sheetData><row r="1"><c r="XFE1"><v>1</v></c></row></sheetData>'),
    /outside the grid/,
    'a column too far',
  ],
  [createSingleSheetParts('<sheetData><row r="1048577"/></sheetData>'), /outside the grid/, 'a row too far'],
  [
    { ...createSingleSheetParts(''), 'xl/workbook.xml': `<workbook ${MAIN}><sheets/></workbook>` },
    /no sheet/,
    'no sheet',
  ],
  [
    {
      ...createSingleSheetParts(''),
      'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="x"><sheets><sheet name="A" r:id="r1"/><sheet name="a" r:id="r1"/></sheets></workbook>`,
    },
    /two of its sheets are named/,
    'two sheets of one name',
  ],
  [
    createPartsWithSheets('stra\u00dfe', 'STRA\u1e9eE'),
    /two of its sheets are named/,
    'two sheets whose names differ in case alone',
  ],
  [createPartsWithSheets(''), /name must not be empty/, 'a sheet without a name'],
  [createPartsWithSheets('x'.repeat(256)), /at most 255 characters/, 'a sheet name that is too long'],
  [createPartsWithSheets('a_x0007_b'), /control characters/, 'a sheet name with control characters'],
  [
    createSingleSheetParts('', { [SHEET]: `<worksheet ${MAIN}>${'<a>'.repeat(2_000_000)}` }),
    /nested more than 256 deep/,
    'elements nested without end',
  ],
  [
    createPartsWithNames(
      Array.from({ length: 65_537 }, (_, i) => `<definedName name="n${i}">1</definedName>`).join(''),
    ),
    /more than 65536 names/,
    'names without end',
  ],
  [
    createPartsWithNames(`<definedName name="n">${'1+'.repeat(8_500_000)}1</definedName>`),
    /names have more than 16777216 characters/,
    'names of any length',
  ],
  [
    createSingleSheetParts(
      '<sheetData><row r="1"><c r="A1"><f t="array" ref="A1:XFD1048576">1</f></c></row></sheetData>',
    ),
    /more than 20000000 cells/,
    'an array formula over the whole sheet',
  ],
];

for (const [parts, expected, why] of PACKAGES) {
  test(`refuses a package with the reason: ${why}`, async () => {
    assert.match(await readRefusalMessage(await writeZip(join(folder, 'package.xlsx'), parts)), expected);
  });
}

const BOUNDS: readonly [limits: Partial<FileLimits>, expected: RegExp][] = [
  [{ fileBytes: 100 }, /bytes/],
  [{ entries: 2 }, /parts/],
  [{ unpackedBytes: 500 }, /unpacks/],
  [{ sheets: 0 }, /sheets/],
  [{ cells: 1 }, /more than 1 cells/],
  [{ blocks: 1 }, /more than 1 blocks/],
];

for (const [limits, expected] of BOUNDS) {
  test(`refuses a workbook beyond ${Object.keys(limits)[0]}`, async () => {
    const path = await writeZip(join(folder, 'bounds.xlsx'), createSingleSheetParts(`<sheetData>${ROW}</sheetData>`));
    assert.match(await readRefusalMessage(path, limits), expected);
  });
}

test('refuses texts beyond the limits', async () => {
  const long = `<sheetData><row r="1"><c r="A1" t="str"><v>${'x'.repeat(200)}</v></c></row></sheetData>`;
  const path = await writeZip(join(folder, 'texts.xlsx'), createSingleSheetParts(long));
  assert.match(await readRefusalMessage(path, { textLength: 100 }), /more than 100 characters/);
  assert.match(await readRefusalMessage(path, { textCharacters: 150 }), /150 characters together/);
});

test('refuses a zip bomb before unpacking it', async () => {
  const blanks = Buffer.alloc(70 * 1024 * 1024, ' ');
  const path = await writeZip(join(folder, 'bomb.xlsx'), createSingleSheetParts('', { [SHEET]: blanks }));
  assert.match(await readRefusalMessage(path), /unpacks/);
});

test('a workbook truncated at any byte is refused or imported without an exception', async () => {
  const path = await writeZip(join(folder, 'whole.xlsx'), createSingleSheetParts(`<sheetData>${ROW}</sheetData>`));
  const bytes = await readFile(path);
  for (let length = 0; length < bytes.length; length += 37) {
    const cut = join(folder, 'cut.xlsx');
    await writeFile(cut, bytes.subarray(0, length));
    assert.notEqual(await readRefusalMessage(cut), 'read without a refusal', `${length} of ${bytes.length} bytes`);
  }
});

test('a workbook with any changed byte is refused or imported without an exception', async () => {
  const path = await writeZip(join(folder, 'good.xlsx'), createSingleSheetParts(`<sheetData>${ROW}</sheetData>`));
  const good = await readFile(path);
  for (let at = 0; at < good.length; at += 11) {
    const bad = Buffer.from(good);
    bad.writeUInt8(bad.readUInt8(at) ^ 0x15, at);
    const changedPath = join(folder, 'changed.xlsx');
    await writeFile(changedPath, bad);
    assert.equal(typeof (await readRefusalMessage(changedPath)), 'string');
  }
});
