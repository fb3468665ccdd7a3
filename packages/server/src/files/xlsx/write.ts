import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SheetData, TableData, WorkbookData } from '@cellwire/engine';
import yazl from 'yazl';
import { LeftOut, type LeftOutItem } from '../left-out.ts';
import { styleSheetOf, themeOf } from './carried.ts';
import { hyperlinksXml } from './hyperlinks.ts';
import { noteShapesXml, notesOf, notesXml } from './notes-xml.ts';
import { relationshipsPart } from './relationships.ts';
import { xlsxSheetNames } from './sheet-names.ts';
import { collectCells, inChunks, SharedStrings, type SheetPlace, sheetXml } from './sheet-xml.ts';
import { Styles } from './styles-xml.ts';
import {
  activeSheet,
  contentTypesXml,
  HEAD,
  Links,
  METADATA_XML,
  relationshipsXml,
  STYLES_START,
  tableXml,
  typedPart,
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

/** A part of the package to be written, in the order of the list. */
interface Part {
  readonly name: string;
  /** Its content type. */
  readonly type: string;
  readonly pieces: () => Iterable<string>;
}

async function writePackage(path: string, data: WorkbookData, options: WriteXlsxOptions): Promise<XlsxWritten> {
  const names = xlsxSheetNames(data.sheets.map((sheet) => sheet.name));
  const book = new Book(data, names, options);
  await writeParts(path, book.parts());
  const renamed = [...names].filter(([from, to]) => from !== to).map(([from, to]) => ({ from, to }));
  return { sheets: data.sheets.length, cells: book.cells, renamed, leftOut: book.leftOut.items() };
}

async function writeParts(path: string, parts: readonly Part[]): Promise<void> {
  const zip = new yazl.ZipFile();
  const finished = new Promise<void>((resolve, reject) => {
    zip.on('error', reject);
    pipeline(zip.outputStream, createWriteStream(path)).then(resolve, reject);
  });
  const types: Part = {
    ...typedPart('[Content_Types].xml', 'types'),
    pieces: () => [contentTypesXml(parts.filter(({ name }) => !name.endsWith('.rels')))],
  };
  for (const { name, pieces } of [types, ...parts]) {
    zip.addReadStreamLazy(name, ENTRY_OPTIONS, (done) => {
      const stream = Readable.from(inChunks(pieces()));
      stream.on('error', (error) => zip.emit('error', error));
      done(null, stream);
    });
  }
  zip.end();
  await finished;
}

/** The parts of a workbook, made from a document. */
class Book {
  cells = 0;
  readonly leftOut = new LeftOut();
  private readonly data: WorkbookData;
  private readonly names: ReadonlyMap<string, string>;
  private readonly options: WriteXlsxOptions;
  private readonly styles: Styles;
  private readonly strings = new SharedStrings();

  constructor(data: WorkbookData, names: ReadonlyMap<string, string>, options: WriteXlsxOptions) {
    this.data = data;
    this.names = names;
    this.options = options;
    this.styles = new Styles(styleSheetOf(data.carried));
  }

  parts(): readonly Part[] {
    return [
      ...this.workbookParts(),
      ...this.data.sheets.flatMap((sheet, index) => this.sheetParts(sheet, index)),
      // After the sheets, which fill them.
      part('xl/styles.xml', 'styles', () => [STYLES_START, this.styles.xml(), '</styleSheet>']),
      part('xl/sharedStrings.xml', 'sharedStrings', () => this.strings.xml()),
    ];
  }

  private workbookParts(): readonly Part[] {
    const { data, names } = this;
    const sheets = data.sheets.map(({ name, hidden }) => ({ name: names.get(name) ?? name, hidden }));
    const theme = themeOf(data.carried);
    const own = new Links();
    own.add('officeDocument', 'xl/workbook.xml');
    const links = new Links();
    const ids = sheets.map((_, i) => links.add('worksheet', `worksheets/sheet${i + 1}.xml`));
    for (const name of ['styles', 'sharedStrings']) links.add(name, `${name}.xml`);
    links.add('sheetMetadata', 'metadata.xml');
    if (theme !== undefined) links.add('theme', 'theme/theme1.xml');
    const sheetIndex = (name: string): number => data.sheets.findIndex((sheet) => sheet.name === name);
    const entries = sheets.map((sheet, i) => ({ ...sheet, id: ids[i] as string }));
    return [
      relationshipsOf('', own),
      part('xl/workbook.xml', 'officeDocument', () => [
        workbookXml(entries, data.names, sheetIndex, data.settings.dateSystem),
      ]),
      relationshipsOf('xl/workbook.xml', links),
      part('xl/metadata.xml', 'sheetMetadata', () => [METADATA_XML]),
      ...(theme === undefined ? [] : [part('xl/theme/theme1.xml', 'theme', () => [HEAD, theme])]),
    ];
  }

  private sheetParts(sheet: SheetData, index: number): readonly Part[] {
    const links = new Links();
    const number = index + 1;
    const tables = tablesOf(this.data, sheet);
    const place = {
      isActive: index === activeSheet(this.data.sheets),
      hyperlinks: hyperlinksXml(sheet, (address) => links.add('hyperlink', address, true)),
      legacyDrawing: '',
      tableParts: tables.map(([id]) => links.add('table', `../tables/table${id}.xml`)),
    };
    const parts: Part[] = tables.map(([id, table]) =>
      part(`xl/tables/table${id}.xml`, 'table', () => [tableXml(table, id)]),
    );
    const notes = notesOf(sheet);
    if (notes.length > 0) {
      links.add('comments', `../comments${number}.xml`);
      place.legacyDrawing = links.add('vmlDrawing', `../drawings/vmlDrawing${number}.vml`);
      parts.push(part(`xl/comments${number}.xml`, 'comments', () => [notesXml(notes)]));
      parts.push(part(`xl/drawings/vmlDrawing${number}.vml`, 'vmlDrawing', () => [noteShapesXml(notes)]));
    }
    const name = `xl/worksheets/sheet${number}.xml`;
    const own = part(name, 'worksheet', () => this.sheetXml(sheet, index, tables, place));
    return links.list.length === 0 ? [own, ...parts] : [own, relationshipsOf(name, links), ...parts];
  }

  private *sheetXml(
    sheet: SheetData,
    index: number,
    tables: readonly (readonly [number, TableData])[],
    place: SheetPlace,
  ): Generator<string> {
    const { leftOut, styles, strings, data } = this;
    const held = tables.map(([, table]) => table);
    const store = collectCells(sheet, held, leftOut);
    this.cells += store.size;
    yield* sheetXml(sheet, store, styles, strings, place);
    this.options.onProgress?.((index + 1) / data.sheets.length);
  }
}

function part(name: string, kind: string, pieces: () => Iterable<string>): Part {
  return { ...typedPart(name, kind), pieces };
}

function relationshipsOf(name: string, links: Links): Part {
  return part(relationshipsPart(name), 'relationships', () => [relationshipsXml(links.list)]);
}

/** The tables of a sheet with their numbers in the file, from 1. */
function tablesOf(data: WorkbookData, sheet: SheetData): readonly (readonly [number, TableData])[] {
  return data.tables.map((table, i) => [i + 1, table] as const).filter(([, table]) => table.sheet === sheet.name);
}
