import { type RequestObject, readInteger, readObject, readObjects, readText, refuseUnknownMembers } from '../json.ts';
import { createObjectId } from './state.ts';

/** A request that makes a part of a new spreadsheet. `place`: the part in the body, which errors name. */
export interface CreationStep {
  readonly place: string;
  readonly request: RequestObject;
}

const SHEET_MEMBERS = [
  'properties',
  'data',
  'merges',
  'conditionalFormats',
  'filterViews',
  'protectedRanges',
  'basicFilter',
  'bandedRanges',
  'developerMetadata',
  'rowGroups',
  'columnGroups',
];

/** A sheet in the body, with the id that it gets. */
interface NewSheet {
  readonly sheet: RequestObject;
  readonly properties: RequestObject;
  readonly sheetId: number;
  readonly place: string;
}

interface CreationPlan {
  /** Name of the sheet with which the document is created; null: the default name. */
  readonly firstSheet: string | null;
  /** Requests that turn the new document into the requested spreadsheet. */
  readonly steps: readonly CreationStep[];
}

/** Plans a new spreadsheet. The document is created with one sheet, whose id is 0. */
export function planNewSheets(body: RequestObject, sheets: readonly RequestObject[]): CreationPlan {
  const ids = new Set<number>();
  const newSheets = sheets.map((sheet, i): NewSheet => {
    const place = `sheets[${i}]`;
    refuseUnknownMembers(sheet, SHEET_MEMBERS, place);
    const properties = readObject(sheet, 'properties', place) ?? {};
    const chosenId = readInteger(properties, 'sheetId', `${place}.properties`);
    const sheetId = chosenId ?? (i === 0 ? 0 : createObjectId((id) => ids.has(id)));
    ids.add(sheetId);
    return { sheet, properties, sheetId, place };
  });
  const [first] = newSheets;
  const replacesFirst = first !== undefined && first.sheetId !== 0;
  const added = newSheets.slice(replacesFirst ? 0 : 1);
  const title = first && readText(first.properties, 'title', 'sheets[0].properties');
  return {
    firstSheet: replacesFirst ? `Replaced ${createObjectId((id) => ids.has(id))}` : title || null,
    steps: [
      ...(first === undefined || replacesFirst ? [] : buildFirstSheetSteps(first)),
      ...added.map(({ properties, sheetId, place }) => ({
        place,
        request: { addSheet: { properties: { ...properties, sheetId } } },
      })),
      ...(replacesFirst ? [{ place: first.place, request: { deleteSheet: { sheetId: 0 } } }] : []),
      // Formulas may read later sheets, and rules apply to cells.
      ...newSheets.flatMap(buildCellSteps),
      ...buildListSteps(body, 'namedRanges', '', (namedRange) => ({ addNamedRange: { namedRange } })),
      ...newSheets.flatMap(buildObjectSteps),
      ...buildListSteps(body, 'developerMetadata', '', (developerMetadata) => ({
        createDeveloperMetadata: { developerMetadata },
      })),
    ],
  };
}

/**
 * The request that gives the document's first sheet the properties in the body, except name, id, index and type. Empty
 * if the body has no others.
 */
function buildFirstSheetSteps({ properties, place }: NewSheet): readonly CreationStep[] {
  const { title: _title, sheetId: _id, index: _index, sheetType: _type, ...rest } = properties;
  const fields = Object.keys(rest).filter((name) => rest[name] !== null);
  if (fields.length === 0) return [];
  const request = { updateSheetProperties: { properties: { ...rest, sheetId: 0 }, fields: fields.join(',') } };
  return [{ place, request }];
}

/** One step for each element of a list. */
function buildListSteps(
  members: RequestObject,
  name: string,
  place: string,
  toRequest: (element: RequestObject, index: number) => RequestObject,
): readonly CreationStep[] {
  const path = place === '' ? name : `${place}.${name}`;
  return (readObjects(members, name, place) ?? []).map((element, i) => ({
    place: `${path}[${i}]`,
    request: toRequest(element, i),
  }));
}

/** The requests that write the cells and merges of a sheet in a new spreadsheet. */
function buildCellSteps({ sheet, sheetId, place }: NewSheet): readonly CreationStep[] {
  const grids = (readObjects(sheet, 'data', place) ?? []).flatMap((grid, i) =>
    buildGridSteps(grid, sheetId, `${place}.data[${i}]`),
  );
  const merges = buildListSteps(sheet, 'merges', place, (range) => ({
    mergeCells: { range: { ...range, sheetId }, mergeType: 'MERGE_ALL' },
  }));
  return [...grids, ...merges];
}

const GRID_MEMBERS = ['startRow', 'startColumn', 'rowData', 'rowMetadata', 'columnMetadata'];

/** The requests that write the cells, row sizes and column sizes of one `GridData`. */
function buildGridSteps(grid: RequestObject, sheetId: number, place: string): readonly CreationStep[] {
  refuseUnknownMembers(grid, GRID_MEMBERS, place);
  const row = readInteger(grid, 'startRow', place) ?? 0;
  const column = readInteger(grid, 'startColumn', place) ?? 0;
  const start = { sheetId, rowIndex: row, columnIndex: column };
  return [
    { place, request: { updateCells: { rows: grid['rowData'] ?? [], fields: '*', start } } },
    ...buildLineSteps(grid, 'rowMetadata', { sheetId, dimension: 'ROWS', first: row }, place),
    ...buildLineSteps(grid, 'columnMetadata', { sheetId, dimension: 'COLUMNS', first: column }, place),
  ];
}

/** Members of `DimensionProperties`. A filter hides lines itself. */
const LINE_MEMBERS = ['pixelSize', 'hiddenByUser', 'hiddenByFilter', 'developerMetadata'];

interface FirstLine {
  readonly sheetId: number;
  readonly dimension: string;
  readonly first: number;
}

/**
 * Steps for sizes, visibility and metadata of rows or columns. Neighbouring lines with equal size and visibility share
 * a step.
 */
function buildLineSteps(
  grid: RequestObject,
  name: string,
  { sheetId, dimension, first }: FirstLine,
  place: string,
): readonly CreationStep[] {
  const lines = readObjects(grid, name, place) ?? [];
  const toRange = (from: number, end: number) => ({
    ...{ sheetId, dimension, startIndex: first + from, endIndex: first + end },
  });
  const steps: CreationStep[] = [];
  let from = 0;
  for (const [i, line] of lines.entries()) {
    const at = `${place}.${name}[${i}]`;
    refuseUnknownMembers(line, LINE_MEMBERS, at);
    const location = { dimensionRange: toRange(i, i + 1) };
    steps.push(
      ...buildListSteps(line, 'developerMetadata', at, (developerMetadata) => ({
        createDeveloperMetadata: { developerMetadata: { ...developerMetadata, location } },
      })),
    );
    const properties = readLineProperties(line);
    const next = lines[i + 1];
    if (next !== undefined && JSON.stringify(readLineProperties(next)) === JSON.stringify(properties)) continue;
    const fields = Object.keys(properties).join(',');
    const request = { updateDimensionProperties: { range: toRange(from, i + 1), properties, fields } };
    if (fields !== '') steps.push({ place: at, request });
    from = i + 1;
  }
  return steps;
}

/** The size and the visibility of a row or column, as far as they are given. */
function readLineProperties({ pixelSize, hiddenByUser }: RequestObject): RequestObject {
  return {
    ...((pixelSize ?? null) === null ? {} : { pixelSize }),
    ...((hiddenByUser ?? null) === null ? {} : { hiddenByUser }),
  };
}

/** Steps for what belongs to areas of a sheet. */
function buildObjectSteps({ sheet, sheetId, place }: NewSheet): readonly CreationStep[] {
  const onSheet = (range: RequestObject | undefined) => ({ ...range, sheetId });
  const withRange = (object: RequestObject) => ({ ...object, range: onSheet(readObject(object, 'range', place)) });
  const filter = readObject(sheet, 'basicFilter', place);
  return [
    ...buildListSteps(sheet, 'conditionalFormats', place, (rule, index) => ({
      addConditionalFormatRule: {
        rule: { ...rule, ranges: (readObjects(rule, 'ranges', place) ?? []).map(onSheet) },
        index,
      },
    })),
    ...buildListSteps(sheet, 'bandedRanges', place, (banding) => ({
      addBanding: { bandedRange: withRange(banding) },
    })),
    ...(filter === undefined
      ? []
      : [{ place: `${place}.basicFilter`, request: { setBasicFilter: { filter: withRange(filter) } } }]),
    ...buildListSteps(sheet, 'filterViews', place, (view) => ({ addFilterView: { filter: withRange(view) } })),
    ...buildListSteps(sheet, 'developerMetadata', place, (developerMetadata) => ({
      createDeveloperMetadata: { developerMetadata: { ...developerMetadata, location: { sheetId } } },
    })),
    ...['rowGroups', 'columnGroups'].flatMap((name) => buildGroupSteps(sheet, name, sheetId, place)),
    // Protection comes last: it may not admit the editor of the other parts.
    ...buildListSteps(sheet, 'protectedRanges', place, (protectedRange) => {
      const { requestingUserCanEdit: _, unprotectedRanges: __, ...rest } = protectedRange;
      const open = (readObjects(protectedRange, 'unprotectedRanges', place) ?? []).map(onSheet);
      return {
        addProtectedRange: {
          protectedRange: { ...withRange(rest), ...(open.length === 0 ? {} : { unprotectedRanges: open }) },
        },
      };
    }),
  ];
}

/** The requests that create the groups of rows or columns in the list `name`. */
function buildGroupSteps(sheet: RequestObject, name: string, sheetId: number, place: string): readonly CreationStep[] {
  return (readObjects(sheet, name, place) ?? []).flatMap((group, i) => {
    const at = `${place}.${name}[${i}]`;
    refuseUnknownMembers(group, ['range', 'depth', 'collapsed'], at);
    const range = { ...readObject(group, 'range', at), sheetId };
    const collapse = { dimensionGroup: { ...group, range }, fields: 'collapsed' };
    return [
      { place: at, request: { addDimensionGroup: { range } } },
      ...(group['collapsed'] === true ? [{ place: at, request: { updateDimensionGroup: collapse } }] : []),
    ];
  });
}
