import { crc32, deflateRawSync } from 'node:zlib';

/** Number of rows with a text in column A. */
const TEXT_ROWS = 2_000;
const NAMES = 'http://schemas.openxmlformats.org';

/**
 * Creates a small `.xlsx` file that takes minutes to calculate: texts, and formulas that match each of them with a
 * pattern.
 */
export function createSlowWorkbook(formulas) {
  const texts = Array.from({ length: TEXT_ROWS }, (_, i) => `${'ab'.repeat(100 + (i % 50))}${i}`);
  const rows = Array.from({ length: Math.max(formulas, TEXT_ROWS) }, (_, i) => {
    const row = i + 1;
    const text = texts[i];
    const cell = text === undefined ? '' : `<c r="A${row}" t="inlineStr"><is><t>${text}</t></is></c>`;
    const formula = `COUNTIF(A$1:A$${TEXT_ROWS},"*a*b*a*b*a*${i}*b*x")`;
    return `<row r="${row}">${cell}${i < formulas ? `<c r="B${row}"><f>${formula}</f></c>` : ''}</row>`;
  });
  return createWorkbook(rows.join(''));
}

/** Creates an `.xlsx` file of one small table. */
export function createSmallWorkbook() {
  return createWorkbook('<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f>A1+1</f></c></row>');
}

function createWorkbook(rows) {
  const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const formatRelation = (id, kind, target) =>
    `<Relationship Id="${id}" Type="${NAMES}/officeDocument/2006/relationships/${kind}" Target="${target}"/>`;
  return createZip({
    '[Content_Types].xml': `<Types xmlns="${NAMES}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${NAMES}/package/2006/relationships">${formatRelation('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${NAMES}/spreadsheetml/2006/main" xmlns:r="${NAMES}/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${NAMES}/package/2006/relationships">${formatRelation('r1', 'worksheet', 'worksheets/sheet1.xml')}</Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${NAMES}/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
  });
}

/** Creates a zip file with the given texts by name. */
function createZip(parts) {
  const entries = [];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const [label, bytes] = [Buffer.from(name), Buffer.from(text)];
    const compressed = deflateRawSync(bytes);
    // Fields that local and central headers share (PKWARE APPNOTE 4.3.7): version 2.0, deflate, checksum, lengths.
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(compressed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(label.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, label, compressed]);
    // Fields of the central header only (4.3.12): the offset of the local header.
    const suffix = Buffer.alloc(14);
    suffix.writeUInt32LE(offset, 10);
    const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, suffix, label]);
    entries.push({ local, central });
    offset += local.length;
  }
  const directory = Buffer.concat(entries.map(({ central }) => central));
  // The end of the central directory (4.3.16): numbers of entries, size and offset.
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...entries.map(({ local }) => local), directory, end]);
}
