import {
  type AttachmentData,
  type DateSystem,
  FILTERED,
  FIRST_SHEET_ID,
  ITERATION_KEY,
  type KnownFormats,
  type LocaleId,
  type NameData,
  nameKey,
  PackedCells,
  PackedFormats,
  PLAIN_LAYOUT,
  type SheetData,
  type TableData,
  type WorkbookData,
} from '@cellwire/engine';
import { openPackage, type PackageParts } from '../archive/package-parts.ts';
import { readXml, type XmlHandler } from '../archive/xml.ts';
import { BlockCount } from '../cells/block-count.ts';
import type { ChunkSink } from '../cells/chunk-sink.ts';
import { DEFAULT_FILE_LIMITS, type FileLimits } from '../limits/limits.ts';
import { LeftOut, type LeftOutItem } from '../outcome/left-out.ts';
import { type FileRefusal, isRefusal, refuseFile } from '../outcome/refusal.ts';
import { readApplication } from './application.ts';
import { AttachmentList } from './attachment-list.ts';
import { hasConditions } from './attachments-xml.ts';
import { createNameAttachment } from './defined-names.ts';
import { parseFilter } from './filter-xml.ts';
import { resolveAddresses } from './hyperlinks.ts';
import { countLeftOutParts } from './left-out-parts.ts';
import { readNotes } from './notes-handler.ts';
import { collectParts, collectReferences, collectSheetParts } from './parts/collect-parts.ts';
import { readContentTypes } from './parts/content-types.ts';
import { PartCollector } from './parts/part-collector.ts';
import { findRelationshipIds, hasAllParts } from './parts/part-links.ts';
import type { PreservedPart } from './parts/preserved-part.ts';
import {
  type OtherSheet,
  type PreservedWorkbook,
  preserveStyles,
  preserveWorkbook,
  readTheme,
} from './preserved-data.ts';
import { XlsxReadProgress } from './read-progress.ts';
import { findTarget, findWorkbookPart, type Relationship, readRelationships } from './relationships.ts';
import { SheetHandler } from './sheet-handler.ts';
import { ThemeHandler } from './styles/color.ts';
import { StylesHandler } from './styles/styles-handler.ts';
import { TableHandler } from './table-handler.ts';
import type { WorkbookContext } from './workbook-context.ts';
import {
  MetadataHandler,
  type NameEntry,
  SharedStringsHandler,
  WorkbookHandler,
  type WorkbookSheetEntry,
} from './workbook-parts.ts';
import { SHOWN_FIRST } from './workbook-xml.ts';

interface ReadXlsxOptions {
  /** The document's locale, because files contain none. */
  readonly locale: LocaleId;
  /** IANA name of the time zone; `UTC` by default. */
  readonly timeZone?: string;
  readonly limits?: FileLimits;
  /** Receives cells while they are read, unless other parts of the file need them. Absent: all are in the result. */
  readonly chunks?: ChunkSink;
  /** Called with the progress, from 0 to 1, at most a hundred times. */
  readonly onProgress?: (fraction: number) => void;
}

/** An imported workbook, and the content that was left out. */
export interface XlsxImport {
  readonly data: WorkbookData;
  /** Formats that are referenced by the chunks in the sink. */
  readonly formats: KnownFormats;
  readonly leftOut: readonly LeftOutItem[];
  /** Parts of the package that exports write unchanged. */
  readonly parts: readonly PreservedPart[];
}

/**
 * Reads an Excel workbook (`.xlsx`, `.xlsm`; transitional or strict). Everything that `WorkbookData` can contain is
 * read; other content is left out and counted. Formulas keep the prefixes of files (`_xlfn.`); shared formulas are
 * expanded for each cell. Cells filled by an array formula have no value, only a number format.
 */
export async function readXlsx(path: string, options: ReadXlsxOptions): Promise<XlsxImport | FileRefusal> {
  const limits = options.limits ?? DEFAULT_FILE_LIMITS;
  const parts = await openPackage(path, limits);
  if (isRefusal(parts)) return parts;
  try {
    return await readWorkbook(parts, limits, options);
  } finally {
    await parts.close();
  }
}

async function readWorkbook(
  parts: PackageParts,
  limits: FileLimits,
  options: ReadXlsxOptions,
): Promise<XlsxImport | FileRefusal> {
  const leftOut = new LeftOut();
  const rootLinks = await readRelationships(parts, '');
  if (isRefusal(rootLinks)) return rootLinks;
  const part = findWorkbookPart(rootLinks);
  if (!parts.has(part) || part.endsWith('.bin')) return refuseFile(describeNonExcelPackage(parts));
  const relationships = await readRelationships(parts, part);
  if (isRefusal(relationships)) return relationships;
  const workbook = new WorkbookHandler(limits.sheets, leftOut);
  const refusal = await readXml(part, await parts.read(part), workbook);
  if (refusal) return refusal;
  const types = await readContentTypes(parts);
  if (isRefusal(types)) return types;
  const collector = new PartCollector(parts, types);
  const book = await collectWorkbookData(workbook, rootLinks, relationships, collector, parts);
  const links = [...rootLinks, ...relationships];
  const uncounted = await countLeftOutParts(parts, links, leftOut, (name) => collector.has(name));
  if (uncounted) return uncounted;
  const entries = workbook.sheets.map((entry) => findSheetPart(entry, relationships));
  const progress = new XlsxReadProgress(
    parts,
    [...entries, findTarget(relationships, 'sharedStrings')],
    options.onProgress,
  );
  const dateSystem: DateSystem = workbook.date1904 ? '1904' : '1900';
  const context = await readContext(parts, relationships, limits, options, dateSystem, progress, leftOut);
  if (isRefusal(context)) return context;
  const sheets: SheetData[] = [];
  const tables: TableData[] = [];
  const usual = workbook.sheets.findIndex(({ hidden }) => !hidden);
  const active = workbook.activeTab ?? 0;
  const chosen = active === usual ? -1 : active;
  for (const [index, entry] of workbook.sheets.entries()) {
    const name = entries[index];
    if (isMissing(entry, relationships, parts)) {
      leftOut.addItem('missingSheets');
      continue;
    }
    if (name === undefined) {
      if (!book.sheets.some((sheet) => sheet.name === entry.name)) leftOut.addItem('sheets');
      continue;
    }
    const handler = new SheetHandler(context, FIRST_SHEET_ID + sheets.length);
    const sheet = await readSheet(parts, name, entry, handler, context, progress, collector);
    if (isRefusal(sheet)) return sheet;
    sheets.push(sheet.data);
    const attachments = new AttachmentList(context.spent);
    for (const { sheet: scope, name: own, attributes } of workbook.names)
      if (scope === index && attributes !== '') attachments.addAttachment(createNameAttachment(own, attributes));
    const sheetTables = await readTables(parts, sheet.relationships, entry.name, attachments, leftOut);
    if (isRefusal(sheetTables)) return sheetTables;
    const whole = addAttachments(sheet.data, attachments.items);
    sheets[sheets.length - 1] = index === chosen ? markShownFirst(whole) : whole;
    tables.push(...sheetTables);
  }
  const [first, ...others] = sheets;
  if (first === undefined) return refuseFile('The workbook has no sheet with cells.');
  const kept = new Set(sheets.map((sheet) => sheet.name));
  const bookAttachments = new AttachmentList(context.spent);
  for (const attachmentData of collectReferences([...book.links, ...book.sheets.map(({ link }) => link)], collector))
    bookAttachments.addAttachment(attachmentData);
  sheets[0] = addAttachments(first, bookAttachments.items);
  const data = {
    settings: { locale: options.locale, dateSystem, timeZone: options.timeZone ?? 'UTC' },
    carried: {
      ...context.carried,
      ...preserveWorkbook(book),
      ...(workbook.iteration !== null && { [ITERATION_KEY]: JSON.stringify(workbook.iteration) }),
    },
    names: workbook.names.flatMap((name) => toNameData(name, workbook.sheets, kept)),
    tables,
    // A document needs a visible sheet, but all visible sheets of the file may have been charts.
    sheets: sheets.every((sheet) => sheet.hidden) ? [{ ...sheets[0], hidden: false }, ...others] : sheets,
  };
  const formats = await readStoredFormats(sheets, context);
  return { data, formats, leftOut: leftOut.listItems(), parts: collector.parts };
}

/** Returns the formats of cells in the sink, or takes these cells back if formulas or other cells need them. */
async function readStoredFormats(sheets: readonly SheetData[], context: WorkbookContext): Promise<KnownFormats> {
  const { chunks, cellNeeds, packedFormats } = context;
  if (chunks === undefined) return [];
  if (!cellNeeds.hasOthers) return packedFormats.storedFormats();
  for await (const { sheet, ...chunk } of chunks.takeAll()) {
    const { cells } = sheets[sheet - FIRST_SHEET_ID] as SheetData;
    if (cells instanceof PackedCells) cells.putBack(chunk);
  }
  return [];
}

const WORKBOOK_PART_KINDS = new Set(['externalLink', 'pivotCacheDefinition', 'person', 'customXml']);
const PACKAGE_PART_KINDS = new Set(['core-properties', 'custom-properties']);
const SHEETS_WITHOUT_CELLS = new Set(['chartsheet', 'dialogsheet']);

/** Collects the data of a workbook other than its sheets with cells. */
async function collectWorkbookData(
  { sheets: entries, elements, attributes, names, activeTab }: WorkbookHandler,
  ownRelationships: readonly Relationship[],
  relationships: readonly Relationship[],
  collector: PartCollector,
  parts: PackageParts,
): Promise<PreservedWorkbook> {
  const links = await collectParts(relationships, WORKBOOK_PART_KINDS, collector);
  const packageLinks = await collectParts(ownRelationships, PACKAGE_PART_KINDS, collector);
  const sheets: OtherSheet[] = [];
  for (const [place, { name, hidden, relationship }] of entries.entries()) {
    const link = relationships.find(({ id }) => id === relationship);
    if (link === undefined || !SHEETS_WITHOUT_CELLS.has(link.kind) || link.isExternal) continue;
    if (!(await collector.collectPart(link.target))) continue;
    sheets.push({ name, hidden, place, ...(place === activeTab && !hidden && { isActive: true }), link });
  }
  const application = await readApplication(parts, findTarget(ownRelationships, 'extended-properties'));
  const whole = Object.entries(elements).filter(
    ([, text]) => findRelationshipIds(text).length === 0 || hasAllParts(text, links),
  );
  const listed = names.filter((entry) => entry.sheet === undefined && entry.attributes !== '');
  return {
    elements: Object.fromEntries(whole),
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, text]) => text !== '')),
    names: Object.fromEntries(listed.map((entry) => [nameKey(entry.name), entry.attributes])),
    links,
    packageLinks,
    sheets,
    ...(application !== '' && { application }),
  };
}

function addAttachments(sheet: SheetData, attachments: readonly AttachmentData[]): SheetData {
  if (attachments.length === 0) return sheet;
  const layout = sheet.layout ?? PLAIN_LAYOUT;
  return { ...sheet, layout: { ...layout, attachments: [...(layout.attachments ?? []), ...attachments] } };
}

function markShownFirst(sheet: SheetData): SheetData {
  const layout = sheet.layout ?? PLAIN_LAYOUT;
  return { ...sheet, layout: { ...layout, carried: { ...layout.carried, [SHOWN_FIRST]: '' } } };
}

/** Returns the part of a sheet with cells; undefined for charts, dialogs and macros. */
function findSheetPart(entry: WorkbookSheetEntry, relationships: readonly Relationship[]): string | undefined {
  const link = relationships.find(({ id }) => id === entry.relationship);
  return link?.kind === 'worksheet' && !link.isExternal ? link.target : undefined;
}

/** True if the part of a listed sheet is missing. */
function isMissing(
  { relationship }: WorkbookSheetEntry,
  relationships: readonly Relationship[],
  parts: PackageParts,
): boolean {
  const link = relationships.find(({ id }) => id === relationship);
  return link === undefined || (link.kind === 'worksheet' && !link.isExternal && !parts.has(link.target));
}

function describeNonExcelPackage(parts: PackageParts): string {
  const names = [...parts.names()];
  if (names.some((name) => name.endsWith('workbook.bin'))) {
    return 'The workbook is in Excel’s binary format (.xlsb). Save it as “Excel Workbook (.xlsx)” first.';
  }
  if (names.includes('content.xml')) {
    return 'The file is an OpenDocument one (.ods). Save it as “Excel Workbook (.xlsx)” first.';
  }
  return 'The file is a zip archive but no Excel workbook. Save the workbook as “Excel Workbook (.xlsx)” first.';
}

async function readContext(
  parts: PackageParts,
  relationships: readonly Relationship[],
  limits: FileLimits,
  { locale, chunks }: ReadXlsxOptions,
  dateSystem: DateSystem,
  progress: XlsxReadProgress,
  leftOut: LeftOut,
): Promise<WorkbookContext | FileRefusal> {
  const styles = new StylesHandler(locale);
  const strings = new SharedStringsHandler(limits.textCharacters, leftOut);
  const metadata = new MetadataHandler();
  const theme = new ThemeHandler();
  const handlers: readonly [string, XmlHandler][] = [
    ['styles', styles],
    ['theme', theme],
    ['sheetMetadata', metadata],
    ['sharedStrings', strings],
  ];
  for (const [kind, handler] of handlers) {
    const name = findTarget(relationships, kind);
    if (name === undefined || !parts.has(name)) continue;
    const onBytes = handler === strings ? progress.addBytes : undefined;
    const refusal = await readXml(name, await parts.read(name), handler, onBytes);
    if (refusal) return refusal;
  }
  const spent = { cells: 0, blocks: new BlockCount(), characters: 0, attachmentCharacters: 0 };
  const styleList = styles.listStyles();
  if (isRefusal(styleList)) return styleList;
  const carried = preserveStyles(
    styles.buildStyleSheet(),
    await readTheme(parts, findTarget(relationships, 'theme'), leftOut),
  );
  const texts = { texts: strings.texts, richTexts: strings.richTexts };
  const cells = { packedFormats: new PackedFormats(), packedFormatIds: [], chunks, cellNeeds: { hasOthers: false } };
  return {
    limits,
    dateSystem,
    ...texts,
    ...cells,
    formats: styles.listFormats(),
    styles: styleList,
    baseStyle: styles.formatBaseStyle(),
    metadata,
    theme,
    carried,
    leftOut,
    spent,
  };
}

async function readSheet(
  parts: PackageParts,
  name: string,
  entry: WorkbookSheetEntry,
  handler: SheetHandler,
  context: WorkbookContext,
  progress: XlsxReadProgress,
  collector: PartCollector,
): Promise<{ readonly data: SheetData; readonly relationships: readonly Relationship[] } | FileRefusal> {
  const refusal = await readXml(name, await parts.read(name), handler, progress.addBytes);
  if (refusal) return refuseFile(`${refusal.message} (Sheet “${entry.name}”.)`);
  const relationships = await readRelationships(parts, name);
  if (isRefusal(relationships)) return relationships;
  const { attachments: list, layout } = handler;
  const { leftOut } = context;
  const unread = await readNotes(parts, relationships, list, leftOut);
  if (unread) return unread;
  const carried = await collectSheetParts(relationships, layout.carried, collector, list, leftOut);
  const uncounted = await countLeftOutParts(parts, relationships, leftOut, (part) => collector.has(part));
  if (uncounted) return uncounted;
  const { color, hiddenRows, columnFormats, columnStyles, cells } = handler;
  const { name: title, hidden } = entry;
  const plain = { name: title, hidden, color, hiddenRows, columnFormats, columnStyles, cells };
  const isPlain = layout === PLAIN_LAYOUT && Object.keys(carried).length === 0;
  const data = isPlain ? { ...plain, layout: PLAIN_LAYOUT } : { ...plain, layout: { ...layout, carried } };
  const items = resolveAddresses(list.items, relationships, leftOut);
  return {
    data: addAttachments(data, [...items.flatMap(parseFilter), ...listActiveFilterRows(items)]),
    relationships,
  };
}

/** Returns the data ranges of active sheet filters, without the first row, which is the header. */
function listActiveFilterRows(items: readonly AttachmentData[]): readonly AttachmentData[] {
  return items.flatMap(({ kind, areas: [area], texts }): readonly AttachmentData[] => {
    if (kind !== 'autoFilter' || area === undefined || area.top === area.bottom || !texts.some(hasConditions))
      return [];
    return [{ kind: FILTERED, areas: [{ ...area, top: area.top + 1 }], formulas: [], texts: [] }];
  });
}

async function readTables(
  parts: PackageParts,
  relationships: readonly Relationship[],
  sheet: string,
  attachments: AttachmentList,
  leftOut: LeftOut,
): Promise<TableData[] | FileRefusal> {
  const tables: TableData[] = [];
  for (const { kind, target, isExternal } of relationships) {
    if (kind !== 'table' || isExternal) continue;
    if (!parts.has(target)) {
      leftOut.addItem('missingTables');
      continue;
    }
    const handler = new TableHandler(leftOut);
    const refusal = await readXml(target, await parts.read(target), handler);
    if (refusal) return refusal;
    const { name, area, headerRow, totalsRow, columns } = handler;
    if (!area) return refuseFile(`The file is damaged: table “${name}” has no range.`);
    const { top, left, bottom, right } = area;
    const { filters } = handler;
    const properties = handler.toPropertiesAttachment();
    if (properties !== null && !attachments.addAttachment(properties)) leftOut.addItem('tableStyles');
    const rows = { top: top + Number(headerRow), left, bottom: bottom - Number(totalsRow), right };
    if (hasConditions(filters) && rows.top <= rows.bottom)
      attachments.addAttachment({ kind: FILTERED, areas: [rows], formulas: [], texts: [] });
    tables.push({ name, sheet, area: { top, left, bottom, right }, headerRow, totalsRow, columns });
  }
  return tables;
}

/** Converts a defined name. A name scoped to a sheet that was left out is left out, too. */
function toNameData(
  entry: NameEntry,
  sheets: readonly WorkbookSheetEntry[],
  keptNames: ReadonlySet<string>,
): NameData[] {
  if (entry.sheet === undefined) return [{ name: entry.name, formula: entry.formula }];
  const sheet = sheets[entry.sheet]?.name;
  return sheet !== undefined && keptNames.has(sheet) ? [{ name: entry.name, sheet, formula: entry.formula }] : [];
}
