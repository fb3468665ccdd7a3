// Random workbooks and operations, the same for the same seed.

const ROWS = 8;
const COLUMNS = 6;
const PLAIN = 3;
const SHEETS = ['Sheet1', 'Other', 'Third'];
const LETTERS = 'ABCDEFGHIJKLMNOP';
/**
 * First row of the destination of cut cells. It is empty, because overwritten references are `#REF!` in Excel but not
 * in LibreOffice.
 */
const FREE_ROW = 20;
const FREE_ROWS = 2 * ROWS;

/** Creates a pseudo-random generator (mulberry32). */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Seeded random choices. */
class RandomChoices {
  constructor(seed) {
    this.random = createRandom(seed);
  }

  /** Returns an integer from 0 up to, but excluding, `limit`. */
  drawBelow(limit) {
    return Math.floor(this.random() * limit);
  }

  /** Returns one of the arguments. */
  pick(...list) {
    return list[this.drawBelow(list.length)];
  }

  /** Draws two random numbers in ascending order. */
  drawSpan(limit) {
    const [a, b] = [this.drawBelow(limit), this.drawBelow(limit)];
    return [Math.min(a, b), Math.max(a, b)];
  }

  /** Draws an area within this number of rows and columns. */
  drawArea(rows = ROWS, columns = COLUMNS) {
    const [[top, bottom], [left, right]] = [this.drawSpan(rows), this.drawSpan(columns)];
    return { top, left, bottom, right };
  }
}

/** Draws `$` or an empty text. */
const drawDollar = (draw) => draw.pick('', '', '$');
/** Draws a reference to a cell in the first `width` columns. */
const drawCell = (draw, width) =>
  `${drawDollar(draw)}${LETTERS[draw.drawBelow(width)]}${drawDollar(draw)}${1 + draw.drawBelow(ROWS)}`;

/** Draws a reference to a range in the first `width` columns. */
function drawRange(draw, width) {
  const { top, left, bottom, right } = draw.drawArea(ROWS, width);
  // The last corner is absolute only if the first one is, because LibreOffice confuses corners that pass each other.
  const [column, row] = [drawDollar(draw), drawDollar(draw)];
  const last = `${column && drawDollar(draw)}${LETTERS[right]}${row && drawDollar(draw)}${bottom + 1}`;
  return `${column}${LETTERS[left]}${row}${top + 1}:${last}`;
}

/** Draws a reference to whole columns. */
function drawColumns(draw, width) {
  const [first, last] = draw.drawSpan(width);
  return `${drawDollar(draw)}${LETTERS[first]}:${drawDollar(draw)}${LETTERS[last]}`;
}

/** Draws a reference to whole rows. */
function drawRows(draw) {
  const [top, bottom] = draw.drawSpan(ROWS);
  return `${drawDollar(draw)}${top + 1}:${drawDollar(draw)}${bottom + 1}`;
}

/** A formula of functions that both programs know, in the grammar of files, that reads columns to its left. */
function drawFormula(draw, width, prefix) {
  const [a, b] = [prefix(), prefix()];
  // No other formula reads the last column, because LibreOffice treats ranges over several sheets differently.
  if (width === COLUMNS - 1 && draw.drawBelow(3) === 0) {
    return `SUM(${draw.pick('Sheet1:Other', 'Other:Third', 'Sheet1:Third')}!${drawRange(draw, PLAIN)})`;
  }
  switch (draw.drawBelow(10)) {
    case 0:
      return `${a}${drawCell(draw, width)}+${b}${drawCell(draw, width)}`;
    case 1:
      return `SUM(${a}${drawRange(draw, width)})`;
    case 2:
      return `ROWS(${a}${drawRange(draw, width)})*COLUMNS(${b}${drawRange(draw, width)})`;
    case 3:
      return `IFERROR(MATCH(${draw.drawBelow(10)},${b}${drawRange(draw, 1)},0),0)`;
    case 4:
      return `ROW(${a}${drawCell(draw, width)})+COLUMN()`;
    case 5:
      return `MIN(${a}${drawRange(draw, width)})`;
    case 6:
      return draw.pick(`SUM(${a}${drawColumns(draw, width)})`, `ROWS(${a}${drawRows(draw)})`);
    case 7:
      return `COUNTIF(${a}${drawRange(draw, width)},">${draw.drawBelow(9)}")`;
    case 8:
      return draw.pick('SUM(area)', 'MIN(area)', 'one*2', 'SUM(area)+one');
    default:
      return `IF(${a}${drawCell(draw, width)}>${drawCell(draw, width)},MAX(${b}${drawRange(draw, width)}),${draw.drawBelow(9)})`;
  }
}

/**
 * Draws the content of a cell. The first columns contain values, so that circular references are rare; the programs
 * treat them differently.
 */
function drawContent(draw, column, prefix) {
  if (column >= PLAIN && draw.drawBelow(5) > 0) return { value: null, formula: drawFormula(draw, column, prefix) };
  const kind = draw.drawBelow(8);
  if (kind < 5) return { value: draw.drawBelow(10) };
  return kind < 7 ? { value: draw.pick('a', 'B', 'text') } : null;
}

/**
 * Draws an operation on the structure. `mayName`: it may add a sheet. `target`: number of the free area for cut cells.
 */
function drawOperation(draw, mayName, target) {
  const sheet = draw.pick(...SHEETS, 'Sheet1');
  const axis = draw.pick('rows', 'columns');
  const count = 1 + draw.drawBelow(3);
  const area = draw.drawArea();
  switch (draw.drawBelow(18)) {
    case 0:
    case 1:
    case 2:
      return { kind: 'insert', sheet, axis, at: draw.drawBelow(axis === 'rows' ? ROWS : COLUMNS), count };
    case 3:
    case 4:
    case 5:
      return { kind: 'delete', sheet, axis, at: draw.drawBelow(axis === 'rows' ? ROWS : COLUMNS), count };
    case 6:
      return { kind: 'insertCells', sheet, area, shift: draw.pick('down', 'right') };
    case 7:
      return { kind: 'deleteCells', sheet, area, shift: draw.pick('up', 'left') };
    case 8:
    case 9:
    case 10:
      return {
        kind: 'cut',
        sheet,
        area,
        toSheet: draw.pick(...SHEETS),
        row: FREE_ROW + FREE_ROWS * target,
        column: draw.drawBelow(COLUMNS),
      };
    case 11:
    case 12:
      return {
        kind: 'copy',
        sheet,
        area,
        toSheet: draw.pick(...SHEETS),
        row: draw.drawBelow(ROWS),
        column: draw.drawBelow(COLUMNS),
      };
    case 13: {
      const [left, right] = draw.drawSpan(COLUMNS);
      const top = draw.drawBelow(ROWS - 1);
      const to = { top, left, bottom: top + 1 + draw.drawBelow(4), right };
      return { kind: 'fill', sheet, area: { ...to, bottom: top }, to };
    }
    case 14:
      // When LibreOffice sorts, it does not change references that name a sheet; Cellwire moves formulas as if copied.
      if (mayName) return { kind: 'addSheet', name: 'New' };
      return { kind: 'sort', sheet, area, column: area.left, descending: draw.pick(true, false) };
    case 15:
      return { kind: 'duplicateSheet', sheet, name: draw.pick('Copy', 'Copy 2') };
    case 16:
      return draw.pick(
        { kind: 'moveSheet', sheet, order: draw.drawBelow(3) },
        { kind: 'renameSheet', sheet, name: "It's" },
      );
    default:
      return draw.pick({ kind: 'deleteSheet', sheet }, { kind: 'addSheet', name: 'New' });
  }
}

/** Draws a workbook and the operations on it. */
export function drawCase(seed) {
  const draw = new RandomChoices(seed);
  const mayName = draw.drawBelow(3) > 0;
  const drawSheetPrefix = () => (mayName ? draw.pick('', '', 'Sheet1!', 'Other!', 'Third!') : '');
  const sheets = SHEETS.map((name) => {
    const cells = [];
    for (let row = 0; row < ROWS; row++) {
      for (let column = 0; column < COLUMNS; column++) {
        const cell = drawContent(draw, column, drawSheetPrefix);
        if (cell !== null) cells.push({ row, column, ...cell });
      }
    }
    return { name, hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells };
  });
  const drawAbsoluteReference = () => {
    const { top, left, bottom, right } = draw.drawArea(ROWS, PLAIN);
    return `${draw.pick(...SHEETS)}!$${LETTERS[left]}$${top + 1}:$${LETTERS[right]}$${bottom + 1}`;
  };
  const names = [
    { name: 'area', formula: drawAbsoluteReference() },
    { name: 'one', formula: `${draw.pick(...SHEETS)}!$${LETTERS[draw.drawBelow(PLAIN)]}$${1 + draw.drawBelow(ROWS)}` },
  ];
  const settings = { locale: 'en-US', dateSystem: '1900', timeZone: 'UTC' };
  const operations = Array.from({ length: 1 + draw.drawBelow(5) }, (_, i) => drawOperation(draw, mayName, i));
  return { data: { settings, names, tables: [], sheets }, operations };
}
