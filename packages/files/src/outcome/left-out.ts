/** Labels of content that only files or only documents can contain, in singular and plural. */
const LABELS = {
  sheets: [
    'sheet that holds no cells (a chart, dialog or macro sheet)',
    'sheets that hold no cells (chart, dialog or macro sheets)',
  ],
  missingSheets: ['sheet that the file lists and does not hold', 'sheets that the file lists and does not hold'],
  missingTables: ['table that the file lists and does not hold', 'tables that the file lists and does not hold'],
  missingTexts: [
    'text that a cell names and the file does not hold',
    'texts that cells name and the file does not hold',
  ],
  halfSurrogates: [
    'text with half of a character (a lone surrogate), replaced by U+FFFD',
    'texts with halves of characters (lone surrogates), replaced by U+FFFD',
  ],
  otherSheets: ['other sheet', 'other sheets'],
  emptyFields: ['sheet whose rows end at their last filled cell', 'sheets whose rows end at their last filled cell'],
  formulas: ['formula (its result is written)', 'formulas (their results are written)'],
  besideCells: [
    'attachment (rule, note, link, chart or picture)',
    'attachments (rules, notes, links, charts, pictures)',
  ],
  formats: ['area of cells whose format is left out', 'areas of cells whose formats are left out'],
  protections: ['protection of a sheet', 'protections of sheets'],
  richTexts: ['text with formatting of its own parts', 'texts with formatting of their own parts'],
  rowHeights: ['row height', 'row heights'],
  columnWidths: ['column width', 'column widths'],
  mergedRanges: ['merged range', 'merged ranges'],
  notes: ['comment (note)', 'comments (notes)'],
  threadedComments: ['threaded comment', 'threaded comments'],
  hyperlinks: ['hyperlink', 'hyperlinks'],
  validations: ['data validation', 'data validations'],
  conditionalFormats: ['conditional format rule', 'conditional format rules'],
  sparklines: ['sparkline', 'sparklines'],
  filters: ['filter', 'filters'],
  filterViews: ['filter view', 'filter views'],
  protectedRanges: ['protected range', 'protected ranges'],
  tableStyles: ['table style', 'table styles'],
  views: ['view (frozen panes, zoom, gridlines)', 'views (frozen panes, zoom, gridlines)'],
  charts: ['chart', 'charts'],
  pictures: ['picture', 'pictures'],
  shapes: ['shape', 'shapes'],
  formControls: ['form control', 'form controls'],
  embeddedObjects: ['embedded object', 'embedded objects'],
  pivotTables: ['pivot table', 'pivot tables'],
  slicers: ['slicer or timeline', 'slicers or timelines'],
  dataTables: ['what-if table (its results stay as values)', 'what-if tables (their results stay as values)'],
  consolidations: ['list of cells that were consolidated', 'lists of cells that were consolidated'],
  scenarios: ['scenario', 'scenarios'],
  richValues: [
    'cell of a data type or with a picture (its text stays)',
    'cells of data types or with pictures (their texts stay)',
  ],
  pageSetups: ['page set-up', 'page set-ups'],
  fileProtections: ['protection in the file', 'protections in the file'],
  externalLinks: ['link to another workbook', 'links to other workbooks'],
  connections: ['data connection or query', 'data connections or queries'],
  themes: ['theme', 'themes'],
  properties: ['set of document properties', 'sets of document properties'],
  customParts: ['custom part', 'custom parts'],
  macros: ['macro project', 'macro projects'],
  macroNames: ['name that belongs to a macro', 'names that belong to macros'],
  linkedFormulas: ['formula that reads another workbook', 'formulas that read other workbooks'],
  lostLinks: [
    'link to a workbook that the file does not name (formulas stay as values)',
    'links to workbooks that the file does not name (formulas stay as values)',
  ],
  unknownFormulas: [
    'formula that calls a function that is not known here',
    'formulas that call functions that are not known here',
  ],
  foreignFunctions: [
    'formula with a function that Excel does not have',
    'formulas with functions that Excel does not have',
  ],
  datesAsTexts: [
    'date or time that .xlsx cannot hold, written as a text',
    'dates or times that .xlsx cannot hold, written as texts',
  ],
  datesAsNumbers: [
    'number in a date format for which no date exists, written as a number',
    'numbers in date formats for which no dates exist, written as numbers',
  ],
  unreadFormulas: ['formula that cannot be read here', 'formulas that cannot be read here'],
  other: ['part of a kind that is not known', 'parts of kinds that are not known'],
  shortenedTexts: ['text cut to 32,767 characters', 'texts cut to 32,767 characters'],
  formulasAsTexts: [
    'formula that .xlsx cannot hold, written as a text',
    'formulas that .xlsx cannot hold, written as texts',
  ],
  errors: [
    'error code that .xlsx cannot hold, written as #VALUE!',
    'error codes that .xlsx cannot hold, written as #VALUE!',
  ],
} as const;

export type LeftOutKind = keyof typeof LABELS;

/** A kind of content that was left out, and the number of items. */
export interface LeftOutItem {
  readonly kind: LeftOutKind;
  readonly count: number;
}

/** Counts the content that an import or export leaves out. */
export class LeftOut {
  private readonly counts = new Map<LeftOutKind, number>();

  addItem(kind: LeftOutKind, count = 1): void {
    if (count > 0) this.counts.set(kind, (this.counts.get(kind) ?? 0) + count);
  }

  /** Returns the items that were left out, by kind, in the order of `LABELS`. */
  listItems(): readonly LeftOutItem[] {
    const kinds = Object.keys(LABELS) as LeftOutKind[];
    return kinds.flatMap((kind) => {
      const count = this.counts.get(kind);
      return count === undefined ? [] : [{ kind, count }];
    });
  }
}

/** Returns the label of content that was left out: `merged ranges`, or `merged range` for one. */
export function formatLeftOutLabel({ kind, count }: LeftOutItem): string {
  return LABELS[kind][count === 1 ? 0 : 1];
}

/** Returns all content that was left out as a text: `12 merged ranges, 3 charts, 1 macro project`. */
export function formatLeftOutText(items: readonly LeftOutItem[]): string {
  return items.map((item) => `${item.count.toLocaleString('en-US')} ${formatLeftOutLabel(item)}`).join(', ');
}
