import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type AttachmentData,
  type CellData,
  nameKey,
  type SheetData,
  type TableData,
  type WorkbookData,
} from '@cellwire/engine';
import yazl from 'yazl';
import { LeftOut, type LeftOutItem } from '../outcome/left-out.ts';
import { APPLICATION_PART, applicationXml } from './application.ts';
import { ofKind } from './attachments-xml.ts';
import { bookOf, styleSheetOf, themeOf } from './carried.ts';
import { CellConversion, type ShortenedCell } from './cell-conversion.ts';
import { namesXml } from './defined-names.ts';
import { withFilterElements } from './filter-xml.ts';
import { hyperlinksXml } from './hyperlinks.ts';
import { noteShapesXml, notesOf, notesXml } from './notes-xml.ts';
import type { CarriedPart } from './parts/carried-part.ts';
import { isLinked, linkedXml, linksIn } from './parts/links.ts';
import { type Part, PartCopier, type PartReferences } from './parts/part-copier.ts';
import { LINKED_ELEMENTS, LINKS, PART } from './parts/read-parts.ts';
import { type Relationship, relationshipsPart } from './relationships.ts';
import { RuleFormats } from './rule-formats.ts';
import { freeSheetName, xlsxSheetNames } from './sheet-names.ts';
import { inChunks, SharedStrings, type SheetPlace, sheetXml, writtenCells } from './sheet-xml.ts';
import { withRuleElements } from './stored-rules.ts';
import { Styles } from './styles-xml.ts';
import { tableLooks } from './table-look.ts';
import { TableCells, tableXml } from './table-xml.ts';
import {
  activeSheet,
  contentTypesXml,
  HEAD,
  type Link,
  Links,
  METADATA_XML,
  PROPERTIES,
  relationshipsXml,
  STYLES_START,
  typedPart,
  workbookXml,
} from './workbook-xml.ts';

interface WriteXlsxOptions {
  /** What an import carried beside the data. */
  readonly parts?: readonly CarriedPart[];
  /** Told the part of the work done, from 0 to 1, after each sheet. */
  readonly onProgress?: (fraction: number) => void;
}

interface XlsxWritten {
  readonly sheets: number;
  readonly cells: number;
  /** Sheets whose names the format cannot hold. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Cells whose texts are cut. */
  readonly shortened: readonly ShortenedCell[];
  /** What the format cannot hold as it is. */
  readonly leftOut: readonly LeftOutItem[];
}

/**
 * Writes an Excel workbook. Formula texts are written as they are: with the prefixes of newer functions (`_xlfn.`) and
 * the sheet names of `xlsxSheetNames`. A document of the google system becomes one of Excel's 1900 system; dates keep
 * their days (`CellConversion`). The file appears under its name only when it is complete.
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
  const names = xlsxSheetNames(data.sheets.map((sheet) => sheet.name));
  const book = new Book(withFilterElements(data), names, options);
  await writeParts(path, book.parts());
  const renamed = [...names].filter(([from, to]) => from !== to).map(([from, to]) => ({ from, to }));
  const { cells, shortened, leftOut } = book;
  return { sheets: data.sheets.length, cells, renamed, shortened, leftOut: leftOut.items() };
}

async function writeParts(path: string, parts: readonly Part[]): Promise<void> {
  const zip = new yazl.ZipFile();
  const finished = new Promise<void>((resolve, reject) => {
    zip.on('error', reject);
    pipeline(zip.outputStream, createWriteStream(path)).then(resolve, reject);
  });
  const types: Part = {
    ...typedPart('[Content_Types].xml', 'types'),
    content: () => inChunks([contentTypesXml(parts.filter(({ name }) => !name.endsWith('.rels')))]),
  };
  for (const { name, content } of [types, ...parts]) {
    zip.addReadStreamLazy(name, ENTRY_OPTIONS, (done) => {
      const stream = Readable.from(content());
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
  readonly shortened: ShortenedCell[] = [];
  private readonly data: WorkbookData;
  private readonly names: ReadonlyMap<string, string>;
  private readonly options: WriteXlsxOptions;
  private readonly styles: Styles;
  private readonly strings = new SharedStrings();
  private readonly codeNames = new Set<string>();
  private readonly copier: PartCopier;

  constructor(data: WorkbookData, names: ReadonlyMap<string, string>, options: WriteXlsxOptions) {
    const sheet = styleSheetOf(data.carried);
    const formats = new RuleFormats(sheet.rest);
    this.data = withRuleElements(data, formats, this.leftOut);
    this.names = names;
    this.options = options;
    this.styles = new Styles(data.settings.locale, { ...sheet, rest: formats.xml() });
    this.copier = new PartCopier(options.parts ?? [], ownNames(data));
  }

  /** A sheet without cells is shown first. */
  private get hasActiveOther(): boolean {
    return bookOf(this.data.carried).sheets.some(
      ({ isActive, link }) => isActive && this.copier.get(link.target) !== undefined,
    );
  }

  parts(): readonly Part[] {
    return [
      ...this.workbookParts(),
      ...this.data.sheets.flatMap((sheet, index) => this.sheetParts(sheet, index)),
      ...this.copier.written,
      // After the sheets, which fill them.
      part('xl/styles.xml', 'styles', () => [STYLES_START, this.styles.xml(), '</styleSheet>']),
      part('xl/sharedStrings.xml', 'sharedStrings', () => this.strings.xml()),
    ];
  }

  private workbookParts(): readonly Part[] {
    const { data } = this;
    const theme = themeOf(data.carried);
    const { elements, attributes = {}, names: listed = {}, packageLinks, application } = bookOf(data.carried);
    const own = new Links();
    own.add('officeDocument', 'xl/workbook.xml');
    if (application !== undefined) own.add('extended-properties', APPLICATION_PART);
    for (const { type, target } of this.copied(packageLinks)) own.addTyped(type, target);
    const links = new Links();
    for (const link of this.copied(bookOf(data.carried).links)) links.put(link);
    const sheets = this.sheetEntries(links);
    for (const name of ['styles', 'sharedStrings']) links.add(name, `${name}.xml`);
    links.add('sheetMetadata', 'metadata.xml');
    if (theme !== undefined) links.add('theme', 'theme/theme1.xml');
    const sheetIndex = (name: string): number => sheets.findIndex((sheet) => sheet.own === name);
    const kept = Object.entries(elements).filter(
      ([, text]) => linksIn(text).length === 0 || isLinked(text, links.list),
    );
    return [
      relationshipsOf('', own),
      part('xl/workbook.xml', 'officeDocument', () => [
        workbookXml(sheets, {
          dateSystem: data.settings.dateSystem,
          names: namesXml(data.names, data.sheets, listed, sheetIndex),
          elements: Object.fromEntries(kept),
          attributes,
        }),
      ]),
      relationshipsOf('xl/workbook.xml', links),
      part('xl/metadata.xml', 'sheetMetadata', () => [METADATA_XML]),
      ...(application === undefined
        ? []
        : [part(APPLICATION_PART, 'extended-properties', () => [HEAD, applicationXml(application)])]),
      ...(theme === undefined ? [] : [part('xl/theme/theme1.xml', 'theme', () => [HEAD, theme])]),
    ];
  }

  /** The workbook's sheets, those without cells where they were among the others. */
  private sheetEntries(links: Links) {
    const { data, names } = this;
    const active = this.hasActiveOther ? -1 : activeSheet(data.sheets);
    const entries = data.sheets.map(({ name, hidden }, i) => {
      const id = links.add('worksheet', `worksheets/sheet${i + 1}.xml`);
      return { name: names.get(name) ?? name, own: name, hidden, isActive: i === active, id };
    });
    for (const { name, hidden, place, isActive = false, link } of bookOf(data.carried).sheets) {
      const [copy] = this.copied([link]);
      if (copy === undefined) continue;
      const id = links.addTyped(copy.type, copy.target);
      const taken = new Set(entries.map((entry) => entry.name.toLowerCase()));
      entries.splice(place, 0, { name: freeSheetName(name, taken), own: '', hidden, isActive, id });
    }
    return entries;
  }

  /** Links to carried parts of the workbook, whose references to cells its first sheet holds. */
  private copied(links: readonly Relationship[]): readonly Link[] {
    const [first] = this.data.sheets;
    return this.copier.links(links, first === undefined ? new Map() : referencesIn(first), new Map());
  }

  private sheetParts(sheet: SheetData, index: number): readonly Part[] {
    const { copier } = this;
    const links = new Links();
    const carried = sheet.layout?.carried ?? {};
    const own = new Map<string, string>();
    const carriedLinks = copier.links(JSON.parse(carried[LINKS] ?? '[]') as Relationship[], referencesIn(sheet), own);
    for (const link of carriedLinks) links.put(link);
    const number = index + 1;
    const tables = tablesOf(this.data, sheet);
    const looks = tableLooks(sheet);
    const told = new TableCells(tables.map(([, table]) => table));
    const parts: Part[] = tables.map(([id, table]) =>
      part(`xl/tables/table${id}.xml`, 'table', () => [tableXml(table, id, looks.get(nameKey(table.name)), told)]),
    );
    const elements = { ...carried };
    const notes = notesOf(sheet);
    if (notes.length > 0) {
      const name = copier.claim(`xl/comments${number}.xml`);
      links.add('comments', `/${name}`);
      parts.push(part(name, 'comments', () => [notesXml(notes)]));
    }
    const shapes = this.shapes(notes, elements, links, number);
    if (shapes !== null) parts.push(shapes);
    const isKept = ([, name]: readonly [number, string]) => isLinked(elements[name] ?? '', links.list);
    const linked = [...LINKED_ELEMENTS.keys()].entries().filter(isKept);
    const place: SheetPlace = {
      isActive: !this.hasActiveOther && index === activeSheet(this.data.sheets),
      properties: this.properties(carried[PROPERTIES] ?? ''),
      hyperlinks: hyperlinksXml(sheet, (address) => links.add('hyperlink', address, true)),
      linked: [...linked].map(([, name]) => linkedXml(elements[name] ?? '')).join(''),
      tableParts: tables.map(([id]) => links.add('table', `../tables/table${id}.xml`)),
    };
    const name = `xl/worksheets/sheet${number}.xml`;
    const written = part(name, 'worksheet', () => this.sheetXml(sheet, index, tables, told, place));
    return links.list.length === 0 ? [written, ...parts] : [written, relationshipsOf(name, links), ...parts];
  }

  /** Attributes of a sheet's properties. A code name is one sheet's: copies of that have none. */
  private properties(attributes: string): string {
    const [codeName] = / codeName="[^"]*"/.exec(attributes) ?? [];
    if (codeName === undefined) return attributes;
    if (this.codeNames.has(codeName)) return attributes.replace(codeName, '');
    this.codeNames.add(codeName);
    return attributes;
  }

  /** The shapes of notes: in the part where those of controls stand, if there is one. */
  private shapes(
    notes: readonly AttachmentData[],
    elements: Record<string, string>,
    links: Links,
    number: number,
  ): Part | null {
    const [id] = linksIn(elements['legacyDrawing'] ?? '');
    const held = links.list.find((link) => link.id === id);
    const name = held?.target.slice(1);
    const at = this.copier.written.findIndex((one) => one.name === name);
    const carried = this.copier.written[at];
    if (name !== undefined && carried !== undefined) {
      const content = () => {
        const text = Buffer.concat([...carried.content()]).toString();
        return inChunks([noteShapesXml(notes, text)]);
      };
      this.copier.written[at] = { ...carried, content };
      return null;
    }
    if (notes.length === 0) return null;
    const made = this.copier.claim(`xl/drawings/vmlDrawing${number}.vml`);
    elements['legacyDrawing'] = `<legacyDrawing r:id="${links.add('vmlDrawing', `/${made}`)}"/>`;
    return part(made, 'vmlDrawing', () => [noteShapesXml(notes)]);
  }

  /** The cells, which tables are told of. */
  private *counted(cells: Iterable<CellData>, told: TableCells): Generator<CellData> {
    for (const cell of cells) {
      this.cells++;
      told.see(cell);
      yield cell;
    }
  }

  private *sheetXml(
    sheet: SheetData,
    index: number,
    tables: readonly (readonly [number, TableData])[],
    told: TableCells,
    place: SheetPlace,
  ): Generator<string> {
    const { leftOut, shortened, styles, strings, data } = this;
    const held = tables.map(([, table]) => table);
    const conversion = new CellConversion(sheet.name, data.settings.dateSystem, leftOut, shortened);
    const cells = this.counted(writtenCells(sheet, held, conversion), told);
    yield* sheetXml(sheet, cells, styles, strings, place);
    this.options.onProgress?.((index + 1) / data.sheets.length);
  }
}

/** Names of the parts that are made anew in every file. */
function ownNames({ sheets, tables }: WorkbookData): readonly string[] {
  const fixed = ['workbook', 'styles', 'sharedStrings', 'metadata', 'theme/theme1'].map((name) => `xl/${name}.xml`);
  return [
    '[Content_Types].xml',
    APPLICATION_PART,
    ...fixed,
    ...sheets.map((_, i) => `xl/worksheets/sheet${i + 1}.xml`),
    ...tables.map((_, i) => `xl/tables/table${i + 1}.xml`),
  ];
}

/** References to cells in carried parts, as they are now. */
function referencesIn(sheet: SheetData): PartReferences {
  return new Map(ofKind(sheet, PART).map(({ texts, formulas }) => [texts[0] ?? '', formulas]));
}

function part(name: string, kind: string, pieces: () => Iterable<string>): Part {
  return { ...typedPart(name, kind), content: () => inChunks(pieces()) };
}

function relationshipsOf(name: string, links: Links): Part {
  return part(relationshipsPart(name), 'relationships', () => [relationshipsXml(links.list)]);
}

/** The tables of a sheet with their numbers in the file, from 1. */
function tablesOf(data: WorkbookData, sheet: SheetData): readonly (readonly [number, TableData])[] {
  return data.tables.map((table, i) => [i + 1, table] as const).filter(([, table]) => table.sheet === sheet.name);
}
