/** The zero-based cell in A1 form: `(0, 27)` → `AB1`. */
export function formatCellText(row, column) {
  return `${formatColumnName(column)}${row + 1}`;
}

/** Returns the letters of a zero-based column: `27` → `AB`. */
export function formatColumnName(column) {
  let name = '';
  for (let n = column + 1; n > 0; n = Math.floor((n - 1) / 26)) name = String.fromCharCode(65 + ((n - 1) % 26)) + name;
  return name;
}
