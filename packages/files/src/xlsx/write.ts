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
import { APPLICATION_PART, formatApplicationXml } from './application.ts';
import { listAttachmentsOfKind } from './attachments-xml.ts';
import { CellConversion, type ShortenedCell } from './cell-conversion.ts';
import { formatNamesXml } from './defined-names.ts';
import { convertFilterConditions } from './filter-xml.ts';
import { formatHyperlinksXml } from './hyperlinks.ts';
import { formatNoteShapesXml, formatNotesXml, listSheetNotes } from './notes-xml.ts';
import { PART_ELEMENTS, PART_REFERENCES, SHEET_RELATIONSHIPS } from './parts/collect-parts.ts';
import { type OutputPart, PartCopier, type PartReferences } from './parts/part-copier.ts';
import { findRelationshipIds, formatPartReferenceXml, hasAllParts } from './parts/part-links.ts';
import type { PreservedPart } from './parts/preserved-part.ts';
import { readPreservedStyleSheet, readPreservedTheme, readPreservedWorkbook } from './preserved-data.ts';
import { getRelationshipsPart, type Relationship } from './relationships.ts';
import { RuleFormats } from './rules/rule-formats.ts';
import { convertStoredRules } from './rules/stored-rules.ts';
import { createSheetName, createXlsxSheetNames } from './sheet-names.ts';
import { formatSheetXml, joinIntoChunks, listCellsToWrite, SharedStrings, type SheetXmlOptions } from './sheet-xml.ts';
import { convertProtectedRanges } from './stored-protection.ts';
import { Styles } from './styles/styles-xml.ts';
import { readTableProperties } from './table-properties.ts';
import { formatTableXml, TableCells } from './table-xml.ts';
import {
  findFirstShownSheet,
  formatContentTypesXml,
  formatRelationshipsXml,
  formatWorkbookXml,
  METADATA_XML,
  type OutputRelationship,
  RelationshipList,
  SHEET_PROPERTIES,
  STYLES_START,
  toTypedPart,
  XML_DECLARATION,
} from './workbook-xml.ts';

interface WriteXlsxOptions {
  /** Parts that the import preserved. */
  readonly parts?: readonly PreservedPart[];
  /** Called with the progress, from 0 to 1, after each sheet. */
  readonly onProgress?: (fraction: number) => void;
}

interface XlsxExport {
  readonly sheets: number;
  readonly cells: number;
  /** Sheets whose names the format cannot store, and their new names. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Cells with shortened texts. */
  readonly shortened: readonly ShortenedCell[];
  /** Content that the format cannot store unchanged. */
  readonly leftOut: readonly LeftOutItem[];
}

/**
 * Writes an Excel workbook. Formulas are written unchanged: with the prefixes of newer functions (`_xlfn.`) and the
 * sheet names of `createXlsxSheetNames`. A document with the `google` date system is converted to Excel's 1900 system; dates
 * keep their days (`CellConversion`). The file gets its name only when it is complete.
 */
export async function writeXlsx(path: string, data: WorkbookData, options: WriteXlsxOptions = {}): Promise<XlsxExport> {
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

/** Options of zip entries. Their time is fixed, so that equal content gives equal bytes. */
const ENTRY_OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

async function writePackage(path: string, data: WorkbookData, options: WriteXlsxOptions): Promise<XlsxExport> {
  const names = createXlsxSheetNames(data.sheets.map((sheet) => sheet.name));
  const book = new WorkbookWriter(convertFilterConditions(data), names, options);
  await writeParts(path, book.listParts());
  const renamed = [...names].filter(([from, to]) => from !== to).map(([from, to]) => ({ from, to }));
  const { cells, shortened, leftOut } = book;
  return { sheets: data.sheets.length, cells, renamed, shortened, leftOut: leftOut.listItems() };
}

async function writeParts(path: string, parts: readonly OutputPart[]): Promise<void> {
  const zip = new yazl.ZipFile();
  const finished = new Promise<void>((resolve, reject) => {
    zip.on('error', reject);
    pipeline(zip.outputStream, createWriteStream(path)).then(resolve, reject);
  });
  const types: OutputPart = {
    ...toTypedPart('[Content_Types].xml', 'types'),
    content: () => joinIntoChunks([formatContentTypesXml(parts.filter(({ name }) => !name.endsWith('.rels')))]),
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

/** Creates the parts of a workbook from a document. */
class WorkbookWriter {
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
    const sheet = readPreservedStyleSheet(data.carried);
    const formats = new RuleFormats(sheet.rest);
    this.data = convertProtectedRanges(convertStoredRules(data, formats, this.leftOut), this.leftOut);
    this.names = names;
    this.options = options;
    this.styles = new Styles(data.settings.locale, { ...sheet, rest: formats.formatXml() });
    this.copier = new PartCopier(options.parts ?? [], listGeneratedParts(data));
  }

  /** True if the sheet that is shown first has no cells (a chart sheet). */
  private get hasActiveOther(): boolean {
    return readPreservedWorkbook(this.data.carried).sheets.some(
      ({ isActive, link }) => isActive && this.copier.get(link.target) !== undefined,
    );
  }

  listParts(): readonly OutputPart[] {
    return [
      ...this.listWorkbookParts(),
      ...this.data.sheets.flatMap((sheet, index) => this.listSheetParts(sheet, index)),
      ...this.copier.written,
      // These parts are written after the sheets, because writing the sheets fills them.
      createPart('xl/styles.xml', 'styles', () => [STYLES_START, this.styles.formatXml(), '</styleSheet>']),
      createPart('xl/sharedStrings.xml', 'sharedStrings', () => this.strings.formatXml()),
    ];
  }

  private listWorkbookParts(): readonly OutputPart[] {
    const { data } = this;
    const theme = readPreservedTheme(data.carried);
    const {
      elements,
      attributes = {},
      names: listed = {},
      packageLinks,
      application,
    } = readPreservedWorkbook(data.carried);
    const packageRelationships = new RelationshipList();
    packageRelationships.addRelationship('officeDocument', 'xl/workbook.xml');
    if (application !== undefined) packageRelationships.addRelationship('extended-properties', APPLICATION_PART);
    for (const { type, target } of this.copyWorkbookLinks(packageLinks))
      packageRelationships.addRelationshipOfType(type, target);
    const links = new RelationshipList();
    for (const link of this.copyWorkbookLinks(readPreservedWorkbook(data.carried).links))
      links.addExistingRelationship(link);
    const sheets = this.listSheetEntries(links);
    for (const name of ['styles', 'sharedStrings']) links.addRelationship(name, `${name}.xml`);
    links.addRelationship('sheetMetadata', 'metadata.xml');
    if (theme !== undefined) links.addRelationship('theme', 'theme/theme1.xml');
    const sheetIndex = (name: string): number => sheets.findIndex((sheet) => sheet.storedName === name);
    const kept = Object.entries(elements).filter(
      ([, text]) => findRelationshipIds(text).length === 0 || hasAllParts(text, links.list),
    );
    return [
      createRelationshipsPart('', packageRelationships),
      createPart('xl/workbook.xml', 'officeDocument', () => [
        formatWorkbookXml(sheets, {
          dateSystem: data.settings.dateSystem,
          names: formatNamesXml(data.names, data.sheets, listed, sheetIndex),
          elements: Object.fromEntries(kept),
          attributes,
        }),
      ]),
      createRelationshipsPart('xl/workbook.xml', links),
      createPart('xl/metadata.xml', 'sheetMetadata', () => [METADATA_XML]),
      ...(application === undefined
        ? []
        : [
            createPart(APPLICATION_PART, 'extended-properties', () => [
              XML_DECLARATION,
              formatApplicationXml(application),
            ]),
          ]),
      ...(theme === undefined ? [] : [createPart('xl/theme/theme1.xml', 'theme', () => [XML_DECLARATION, theme])]),
    ];
  }

  /** Returns the workbook's sheets; sheets without cells are inserted at their original positions. */
  private listSheetEntries(links: RelationshipList) {
    const { data, names } = this;
    const active = this.hasActiveOther ? -1 : findFirstShownSheet(data.sheets);
    const entries = data.sheets.map(({ name, hidden }, i) => {
      const id = links.addRelationship('worksheet', `worksheets/sheet${i + 1}.xml`);
      return { name: names.get(name) ?? name, storedName: name, hidden, isActive: i === active, id };
    });
    for (const { name, hidden, place, isActive = false, link } of readPreservedWorkbook(data.carried).sheets) {
      const [copy] = this.copyWorkbookLinks([link]);
      if (copy === undefined) continue;
      const id = links.addRelationshipOfType(copy.type, copy.target);
      const used = new Set(entries.map((entry) => entry.name.toLowerCase()));
      entries.splice(place, 0, { name: createSheetName(name, used), storedName: '', hidden, isActive, id });
    }
    return entries;
  }

  /**
   * Returns the relationships to preserved parts of the workbook. Their cell references are attached to the first
   * sheet.
   */
  private copyWorkbookLinks(links: readonly Relationship[]): readonly OutputRelationship[] {
    const [first] = this.data.sheets;
    return this.copier.copyRelationships(
      links,
      first === undefined ? new Map() : collectPartReferences(first),
      new Map(),
    );
  }

  private listSheetParts(sheet: SheetData, index: number): readonly OutputPart[] {
    const { copier } = this;
    const links = new RelationshipList();
    const carried = sheet.layout?.carried ?? {};
    const ownCopies = new Map<string, string>();
    const carriedLinks = copier.copyRelationships(
      JSON.parse(carried[SHEET_RELATIONSHIPS] ?? '[]') as Relationship[],
      collectPartReferences(sheet),
      ownCopies,
    );
    for (const link of carriedLinks) links.addExistingRelationship(link);
    const number = index + 1;
    const tables = numberTables(this.data, sheet);
    const tableProperties = readTableProperties(sheet);
    const tableCells = new TableCells(tables.map(([, table]) => table));
    const parts: OutputPart[] = tables.map(([id, table]) =>
      createPart(`xl/tables/table${id}.xml`, 'table', () => [
        formatTableXml(table, id, tableProperties.get(nameKey(table.name)), tableCells),
      ]),
    );
    const elements = { ...carried };
    const notes = listSheetNotes(sheet);
    if (notes.length > 0) {
      const name = copier.claimPartName(`xl/comments${number}.xml`);
      links.addRelationship('comments', `/${name}`);
      parts.push(createPart(name, 'comments', () => [formatNotesXml(notes)]));
    }
    const shapes = this.writeShapes(notes, elements, links, number);
    if (shapes !== null) parts.push(shapes);
    const isKept = ([, name]: readonly [number, string]) => hasAllParts(elements[name] ?? '', links.list);
    const linked = [...PART_ELEMENTS.keys()].entries().filter(isKept);
    const place: SheetXmlOptions = {
      isActive: !this.hasActiveOther && index === findFirstShownSheet(this.data.sheets),
      properties: this.makePropertiesUnique(carried[SHEET_PROPERTIES] ?? ''),
      hyperlinks: formatHyperlinksXml(sheet, (address) => links.addRelationship('hyperlink', address, true)),
      linked: [...linked].map(([, name]) => formatPartReferenceXml(elements[name] ?? '')).join(''),
      tableParts: tables.map(([id]) => links.addRelationship('table', `../tables/table${id}.xml`)),
    };
    const name = `xl/worksheets/sheet${number}.xml`;
    const written = createPart(name, 'worksheet', () => this.formatSheetXml(sheet, index, tables, tableCells, place));
    return links.list.length === 0 ? [written, ...parts] : [written, createRelationshipsPart(name, links), ...parts];
  }

  /** Returns the attributes of a sheet's properties. A code name must be unique, so copies of a sheet lose it. */
  private makePropertiesUnique(attributes: string): string {
    const [codeName] = / codeName="[^"]*"/.exec(attributes) ?? [];
    if (codeName === undefined) return attributes;
    if (this.codeNames.has(codeName)) return attributes.replace(codeName, '');
    this.codeNames.add(codeName);
    return attributes;
  }

  /** Writes the shapes of notes, in the part with the shapes of controls if there is one. */
  private writeShapes(
    notes: readonly AttachmentData[],
    elements: Record<string, string>,
    links: RelationshipList,
    number: number,
  ): OutputPart | null {
    const [id] = findRelationshipIds(elements['legacyDrawing'] ?? '');
    const drawing = links.list.find((link) => link.id === id);
    const name = drawing?.target.slice(1);
    const at = this.copier.written.findIndex((one) => one.name === name);
    const carried = this.copier.written[at];
    if (name !== undefined && carried !== undefined) {
      const content = () => {
        const text = Buffer.concat([...carried.content()]).toString();
        return joinIntoChunks([formatNoteShapesXml(notes, text)]);
      };
      this.copier.written[at] = { ...carried, content };
      return null;
    }
    if (notes.length === 0) return null;
    const path = this.copier.claimPartName(`xl/drawings/vmlDrawing${number}.vml`);
    elements['legacyDrawing'] = `<legacyDrawing r:id="${links.addRelationship('vmlDrawing', `/${path}`)}"/>`;
    return createPart(path, 'vmlDrawing', () => [formatNoteShapesXml(notes)]);
  }

  /** Yields the cells, counts them, and records the cells whose content is repeated in tables. */
  private *countCells(cells: Iterable<CellData>, tableCells: TableCells): Generator<CellData> {
    for (const cell of cells) {
      this.cells++;
      tableCells.recordCell(cell);
      yield cell;
    }
  }

  private *formatSheetXml(
    sheet: SheetData,
    index: number,
    tables: readonly (readonly [number, TableData])[],
    tableCells: TableCells,
    options: SheetXmlOptions,
  ): Generator<string> {
    const { leftOut, shortened, styles, strings, data } = this;
    const tableData = tables.map(([, table]) => table);
    const conversion = new CellConversion(sheet.name, data.settings.dateSystem, leftOut, shortened);
    const cells = this.countCells(listCellsToWrite(sheet, tableData, conversion), tableCells);
    yield* formatSheetXml(sheet, cells, styles, strings, options);
    this.options.onProgress?.((index + 1) / data.sheets.length);
  }
}

/** Returns the names of the parts that every export generates. */
function listGeneratedParts({ sheets, tables }: WorkbookData): readonly string[] {
  const fixed = ['workbook', 'styles', 'sharedStrings', 'metadata', 'theme/theme1'].map((name) => `xl/${name}.xml`);
  return [
    '[Content_Types].xml',
    APPLICATION_PART,
    ...fixed,
    ...sheets.map((_, i) => `xl/worksheets/sheet${i + 1}.xml`),
    ...tables.map((_, i) => `xl/tables/table${i + 1}.xml`),
  ];
}

/** Returns the current cell references of preserved parts. */
function collectPartReferences(sheet: SheetData): PartReferences {
  return new Map(
    listAttachmentsOfKind(sheet, PART_REFERENCES).map(({ texts, formulas }) => [texts[0] ?? '', formulas]),
  );
}

/** A part of the file whose text is written in pieces. */
function createPart(name: string, kind: string, pieces: () => Iterable<string>): OutputPart {
  return { ...toTypedPart(name, kind), content: () => joinIntoChunks(pieces()) };
}

function createRelationshipsPart(name: string, links: RelationshipList): OutputPart {
  return createPart(getRelationshipsPart(name), 'relationships', () => [formatRelationshipsXml(links.list)]);
}

/** Returns the tables of a sheet with their numbers in the file, from 1. */
function numberTables(data: WorkbookData, sheet: SheetData): readonly (readonly [number, TableData])[] {
  return data.tables.map((table, i) => [i + 1, table] as const).filter(([, table]) => table.sheet === sheet.name);
}
