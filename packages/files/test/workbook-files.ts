import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after } from 'node:test';
import type { CellData, WorkbookData } from '@cellwire/engine';
import yauzl from 'yauzl';
import yazl from 'yazl';
import { type FileLimits, type FileRefusal, isRefusal, type XlsxImport } from '../src/index.ts';
import { readXlsx } from '../src/xlsx/read.ts';

/** Creates a temporary folder, which is deleted after the tests of the file. */
export async function createTestFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cellwire-files-'));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a zip archive and returns its path. */
export async function writeZip(path: string, parts: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

/** Reads a part of a zip archive as text. */
export async function readPart(path: string, name: string): Promise<string> {
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName === name) return text(await zip.openReadStreamPromise(entry));
  }
  throw new Error(`${path} has no part ${name}`);
}

export const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export function createRelationships(
  entries: Readonly<Record<string, readonly [kind: string, target: string]>>,
): string {
  const items = Object.entries(entries).map(
    ([id, [kind, target]]) => `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`;
}

/** The parts of a workbook with one sheet `Data`; `sheet` is the content of its worksheet element. */
export function createSingleSheetParts(
  sheet: string,
  extraParts: Readonly<Record<string, string | Buffer>> = {},
): Record<string, string | Buffer> {
  return {
    '_rels/.rels': createRelationships({ r1: ['officeDocument', 'xl/workbook.xml'] }),
    'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${OFFICE}"><sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': createRelationships({
      r1: ['worksheet', 'worksheets/sheet1.xml'],
      r2: ['styles', 'styles.xml'],
      r3: ['sharedStrings', 'sharedStrings.xml'],
      r4: ['sheetMetadata', 'metadata.xml'],
      r5: ['theme', 'theme/theme1.xml'],
    }),
    'xl/worksheets/sheet1.xml': `<worksheet ${MAIN} xmlns:r="${OFFICE}">${sheet}</worksheet>`,
    ...extraParts,
  };
}

export async function readBack(path: string, limits?: FileLimits): Promise<XlsxImport | FileRefusal> {
  return readXlsx(path, limits ? { locale: 'en-US', limits } : { locale: 'en-US' });
}

export async function readWorkbook(path: string): Promise<WorkbookData> {
  const importResult = await readBack(path);
  if (isRefusal(importResult)) throw new Error(importResult.message);
  return importResult.data;
}

/** The cells of a sheet in reading order. */
export function readCells(data: WorkbookData, sheet = 0): CellData[] {
  const cells = [...(data.sheets[sheet]?.cells ?? [])];
  return cells.sort((a, b) => a.row - b.row || a.column - b.column);
}

/** Workbook data with arrays of cells, for comparison. */
export function listCells(data: WorkbookData): unknown {
  return { ...data, sheets: data.sheets.map((sheet, i) => ({ ...sheet, cells: readCells(data, i) })) };
}

const EXTENSIONS =
  'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"';
/** The XML of a sheet with a list and an icon set that exist only in its extension. */
export const EXTENDED_RULES =
  '<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>1</v></c><c r="D1"><v>1</v></c></row></sheetData><extLst>' +
  `<ext uri="{78C0D931-6437-407d-A8EE-F0AAD7539E65}" ${EXTENSIONS}><x14:conditionalFormattings><x14:conditionalFormatting><x14:cfRule type="iconSet" priority="1" id="{00000000-0001-0000-0000-000000000000}"><x14:iconSet iconSet="3Stars"><x14:cfvo type="percent"><xm:f>0</xm:f></x14:cfvo><x14:cfvo type="percent"><xm:f>33</xm:f></x14:cfvo><x14:cfvo type="percent"><xm:f>67</xm:f></x14:cfvo></x14:iconSet></x14:cfRule><xm:sqref>C1:C9</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext>` +
  `<ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" ${EXTENSIONS}><x14:dataValidations count="1"><x14:dataValidation type="list" allowBlank="1" showErrorMessage="1"><x14:formula1><xm:f>$D$1:$D$3</xm:f></x14:formula1><xm:sqref>A1:A9</xm:sqref></x14:dataValidation></x14:dataValidations></ext>` +
  '</extLst>';
