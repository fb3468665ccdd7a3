// Compares results of LibreOffice and Cellwire, and recognizes the known differences of LibreOffice from Excel.

/** Normalizes a formula: spaces, quotes, the order of corners and a range over one sheet have no meaning. */
function normalizeFormula(text) {
  return text
    .replaceAll(/[\s']/g, '')
    .replaceAll(/\b(\w+):\1!/g, '$1!')
    .replaceAll(AREA, (_, a, b, c, d) => {
      const [[left, right], [top, bottom]] = [sortPair(a, c), sortPair(b, d)];
      return `${left}${top}:${right}${bottom}`;
    })
    .toUpperCase();
}

const AREA = /(\$?[A-Z]+)(\$?[0-9]+):(\$?[A-Z]+)(\$?[0-9]+)/g;

/** Returns two columns or two rows in ascending order. */
function sortPair(a, b) {
  const [x, y] = [a, b].map((corner) => corner.replace('$', '').padStart(8, '0'));
  return x < y || (x === y && a < b) ? [a, b] : [b, a];
}

/** Known differences of LibreOffice. For formulas that differ only in these, Excel writes the same as Cellwire. */
const FORMULA_DIFFERENCES = [
  {
    reason: 'references over several sheets: LibreOffice moves them with a single sheet, and loses them in a copy',
    applies: ({ ours, theirs }) => hasSheetSpan(ours) || hasSheetSpan(theirs),
  },
  {
    reason: 'cut formulas: LibreOffice exchanges the $ of corners that pass each other',
    applies: ({ ours, theirs }) =>
      normalizeFormula(ours.replaceAll('$', '')) === normalizeFormula(theirs.replaceAll('$', '')),
  },
  {
    reason: 'references to other sheets in a copied sheet: LibreOffice counts sheets from the formula’s own',
    applies: ({ at, ours }) => at.startsWith('Copy') && ours.includes('!'),
  },
  {
    reason: 'references to deleted cells: LibreOffice restores them when rows or columns are inserted there',
    applies: ({ ours, operations }) => ours.includes('#REF!') && insertsAfterDeletion(operations),
  },
  {
    reason: 'cells copied one row up: if the copy exceeds the grid, LibreOffice has #REF! in the source, too',
    applies: ({ at, ours, theirs, operations }) =>
      !ours.includes('#REF!') && theirs.includes('#REF!') && operations.some((operation) => isCopiedUp(operation, at)),
  },
];

/** True if an operation copies a cell to the cell directly above it. */
function isCopiedUp({ kind, sheet, area, toSheet, row, column }, at) {
  if (kind !== 'copy' || toSheet !== sheet || row !== area.top - 1 || column !== area.left) return false;
  const position = parsePosition(at);
  return position.sheet === sheet && isWithin(position, area);
}

/** The position of an address such as `Sheet!D5`; rows and columns count from 0. */
function parsePosition(at) {
  const cut = at.lastIndexOf('!');
  const [, letters, row] = /([A-Z]+)([0-9]+)$/.exec(at);
  return { sheet: at.slice(0, cut), row: Number(row) - 1, column: parseColumnLetters(letters) };
}

/** Returns the zero-based column of letters. */
function parseColumnLetters(letters) {
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** True if a cell is in an area. */
function isWithin({ row, column }, { top, left, bottom, right }) {
  return row >= top && row <= bottom && column >= left && column <= right;
}

/** True if rows, columns or cells are inserted into a sheet after others were deleted there. */
function insertsAfterDeletion(operations) {
  return operations.some(({ kind, sheet }, i) => {
    const later = operations.slice(i + 1).filter((operation) => operation.sheet === sheet);
    return kind.startsWith('delete') && later.some((operation) => operation.kind.startsWith('insert'));
  });
}

/** True if a formula refers to several sheets at once, as in `Sheet1:Sheet3!A1`. */
function hasSheetSpan(formula) {
  return /\w:\w+!/.test(formula.replaceAll("'", ''));
}

/**
 * Compares two results of the same operations, cell by cell and name by name. Returns known and unknown differences.
 */
export function compareResults(ours, theirs, operations) {
  const comparison = { formulas: 0, known: [], open: [], operations, others: new Map() };
  if (theirs.failure !== undefined)
    return { ...comparison, known: [{ reason: `LibreOffice failed: ${theirs.failure.slice(0, 60)}` }] };
  for (const sheet of new Set([...Object.keys(ours.cells), ...Object.keys(theirs.cells)])) {
    const [ourCells, theirCells] = [ours.cells[sheet] ?? {}, theirs.cells[sheet] ?? {}];
    for (const at of new Set([...Object.keys(ourCells), ...Object.keys(theirCells)])) {
      compareCell(`${sheet}!${at}`, ourCells[at], theirCells[at], comparison);
    }
  }
  markDependentDifferences(comparison);
  for (const name of Object.keys(theirs.names)) {
    const [a, b] = [ours.names[name] ?? '', theirs.names[name]];
    if (normalizeFormula(a) !== normalizeFormula(b)) comparison.open.push(`name ${name}: ${a} here, ${b} there`);
  }
  return comparison;
}

/** Compares one cell of both results, each as `[formula, value]`, and adds its differences to `comparison`. */
function compareCell(
  at,
  [formula = null, value = null] = [],
  [otherFormula = null, otherValue = null] = [],
  comparison,
) {
  if (formula !== null) comparison.formulas++;
  const [ours, theirs] = [formula ?? '', otherFormula ?? ''];
  const own = `${at.slice(0, at.lastIndexOf('!'))}!`;
  const isSame = normalizeFormula(ours.replaceAll(own, '')) === normalizeFormula(theirs.replaceAll(own, ''));
  if (isSame && isSameValue(value, otherValue)) return;
  const isFormula = ours !== '' && theirs !== '';
  const difference = { at, ours, theirs, operations: comparison.operations };
  const knownDifference =
    isFormula && (isSame ? VALUE_DIFFERENCES : FORMULA_DIFFERENCES).find(({ applies }) => applies(difference, value));
  const text = `${at}: ${ours} ${JSON.stringify(value)} here, ${theirs} ${JSON.stringify(otherValue)} there`;
  if (knownDifference) comparison.known.push(knownDifference);
  if (isFormula)
    comparison.others.set(at, {
      reads: knownDifference || !isSame ? null : listReferencedAreas(at, ours),
      text,
      isKnown: Boolean(knownDifference),
    });
  if (!knownDifference) comparison.open.push(text);
}

/** The areas that a formula refers to, each with its sheet; the sheet of the formula if a reference names none. */
function listReferencedAreas(at, formula) {
  const own = parsePosition(at).sheet;
  return Array.from(formula.matchAll(AREA_REFERENCE), ([, sheet = own, a, top, b = a, bottom = top]) => {
    const [first, last] = [a, b].map((letters) => parseColumnLetters(letters.replaceAll('$', '')));
    const [upper = 1, lower = Number.POSITIVE_INFINITY] = [top, bottom].map(
      (row) => row && Number(row.replace('$', '')),
    );
    return {
      sheet,
      area: {
        top: Math.min(upper, lower) - 1,
        bottom: Math.max(upper, lower) - 1,
        left: Math.min(first, last),
        right: Math.max(first, last),
      },
    };
  });
}

const AREA_REFERENCE = /(?:(\w+)!)?(\$?[A-Z]+)(\$?[0-9]+)?(?::(\$?[A-Z]+)(\$?[0-9]+)?)?(?![A-Z0-9(!])/g;

/** Marks values as known if their equal formulas read, directly or indirectly, cells with a known difference. */
function markDependentDifferences(comparison) {
  const explained = [...comparison.others].filter(([, { isKnown }]) => isKnown).map(([at]) => parsePosition(at));
  for (const position of explained) {
    for (const [at, other] of comparison.others) {
      const reads = other.isKnown ? [] : (other.reads ?? []);
      if (!reads.some(({ sheet, area }) => sheet === position.sheet && isWithin(position, area))) continue;
      other.isKnown = true;
      comparison.known.push({ reason: 'values that depend on one of these' });
      comparison.open = comparison.open.filter((text) => text !== other.text);
      explained.push(parsePosition(at));
    }
  }
}

/** Known differences in the results of equal formulas. */
const VALUE_DIFFERENCES = [
  {
    reason: 'values over several sheets: a copied sheet has another position',
    applies: ({ ours }) => hasSheetSpan(ours),
  },
  {
    reason: 'circles: #REF! here, and numbers in LibreOffice if the function skips the cell itself',
    applies: ({ ours }, value) => value?.code === '#REF!' && !ours.includes('#REF!'),
  },
];

/** True if two values are equal apart from rounding. */
function isSameValue(a, b) {
  if (typeof b === 'object' && b !== null) {
    if ('boolean' in b) return a === b.boolean || a === Number(b.boolean);
    return typeof a === 'object' && a !== null;
  }
  if (typeof a === 'boolean') return Number(a) === b;
  return a === b || (typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < 1e-9);
}
