import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SheetData, TableData, WorkbookData } from '@cellwire/engine';
import yazl from 'yazl';
import { LeftOut, type LeftOutItem } from '../left-out.ts';
import { styleSheetOf, themeOf } from './carried.ts';
import { xlsxSheetNames } from './sheet-names.ts';
import { collectCells, inChunks, SharedStrings, sheetXml } from './sheet-xml.ts';
import { Styles } from './styles-xml.ts';
import {
  activeSheet,
  contentTypesXml,
  HEAD,
  type Link,
  METADATA_XML,
  relationshipsXml,
  STYLES_START,
  tableXml,
  workbookXml,
} from './workbook-xml.ts';

export interface WriteXlsxOptions {
  /** Told the part of the work done, from 0 to 1, after each sheet. */
  readonly onProgress?: (fraction: number) => void;
}

export interface XlsxWritten {
  readonly sheets: number;
  readonly cells: number;
  /** Sheets whose names the format cannot hold. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** What the format cannot hold as it is. */
  readonly leftOut: readonly LeftOutItem[];
}

/**
 * Writes an Excel workbook. Formula texts are written as they are: with the prefixes of newer functions (`_xlfn.`) and
 * the sheet names of `xlsxSheetNames`. Serial numbers are written as they are, too: a document of the google system
 * becomes one of Excel's 1900 system, which shows days before 1900-03-01 differently. The file appears under its name
 * only when it is complete.
 */
export async function writeXlsx(
  path: string,
  data: WorkbookData,
  options: WriteXlsxOptions = {},
): Promise<XlsxWritten> {
  const partial = `${path}.part`;
  try {
    const written = await writePackage(partial, data, options);
    await rename(partial, path);
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Files of one content have the same bytes: entries carry no time of their own. */
const ENTRY_OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

async function writePackage(path: string, data: WorkbookData, options: WriteXlsxOptions): Promise<XlsxWritten> {
  const zip = new yazl.ZipFile();
  const styles = new Styles(styleSheetOf(data.carried));
  const strings = new SharedStrings();
  const leftOut = new LeftOut();
  let cells = 0;
  const finished = new Promise<void>((resolve, reject) => {
    zip.on('error', reject);
    pipeline(zip.outputStream, createWriteStream(path)).then(resolve, reject);
  });
  const addText = (name: string, pieces: () => Iterable<string>): void => {
    zip.addReadStreamLazy(name, ENTRY_OPTIONS, (done) => {
      const stream = Readable.from(inChunks(pieces()));
      stream.on('error', (error) => zip.emit('error', error));
      done(null, stream);
    });
  };
  const names = xlsxSheetNames(data.sheets.map((sheet) => sheet.name));
  addFixedParts(addText, data, names);
  const active = activeSheet(data.sheets);
  for (const [index, sheet] of data.sheets.entries()) {
    const tables = tablesOf(data, sheet);
    addText(`xl/worksheets/sheet${index + 1}.xml`, function* () {
      const store = collectCells(
        sheet,
        tables.map(([, table]) => table),
        leftOut,
      );
      cells += store.size;
      const ids = tables.map((_, i) => `rId${i + 1}`);
      yield* sheetXml(sheet, store, styles, strings, { isActive: index === active, tableParts: ids });
      options.onProgress?.((index + 1) / data.sheets.length);
    });
    if (tables.length === 0) continue;
    const links = tables.map(([id]) => ({ kind: 'table', target: `../tables/table${id}.xml` }));
    addText(`xl/worksheets/_rels/sheet${index + 1}.xml.rels`, () => [relationshipsXml(links)]);
    for (const [id, table] of tables) addText(`xl/tables/table${id}.xml`, () => [tableXml(table, id)]);
  }
  // After the sheets, which fill them.
  addText('xl/styles.xml', () => [STYLES_START, styles.xml(), '</styleSheet>']);
  addText('xl/sharedStrings.xml', () => strings.xml());
  zip.end();
  await finished;
  const renamed = [...names].filter(([from, to]) => from !== to).map(([from, to]) => ({ from, to }));
  return { sheets: data.sheets.length, cells, renamed, leftOut: leftOut.items() };
}

/** The tables of a sheet with their numbers in the file, from 1. */
function tablesOf(data: WorkbookData, sheet: SheetData): readonly (readonly [number, TableData])[] {
  return data.tables.map((table, i) => [i + 1, table] as const).filter(([, table]) => table.sheet === sheet.name);
}

function addFixedParts(
  addText: (name: string, pieces: () => Iterable<string>) => void,
  data: WorkbookData,
  names: ReadonlyMap<string, string>,
): void {
  const sheets = data.sheets.map(({ name, hidden }) => ({ name: names.get(name) ?? name, hidden }));
  const theme = themeOf(data.carried);
  const links: Link[] = [
    ...sheets.map((_, i) => ({ kind: 'worksheet', target: `worksheets/sheet${i + 1}.xml` })),
    { kind: 'styles', target: 'styles.xml' },
    { kind: 'sharedStrings', target: 'sharedStrings.xml' },
    { kind: 'sheetMetadata', target: 'metadata.xml' },
    ...(theme === undefined ? [] : [{ kind: 'theme', target: 'theme/theme1.xml' }]),
  ];
  const sheetIndex = (name: string): number => data.sheets.findIndex((sheet) => sheet.name === name);
  const workbook = workbookXml(sheets, data.names, sheetIndex, data.settings.dateSystem);
  addText('[Content_Types].xml', () => [contentTypesXml(sheets.length, data.tables.length, theme !== undefined)]);
  addText('_rels/.rels', () => [relationshipsXml([{ kind: 'officeDocument', target: 'xl/workbook.xml' }])]);
  addText('xl/workbook.xml', () => [workbook]);
  addText('xl/_rels/workbook.xml.rels', () => [relationshipsXml(links)]);
  addText('xl/metadata.xml', () => [METADATA_XML]);
  if (theme !== undefined) addText('xl/theme/theme1.xml', () => [HEAD, theme]);
}
