/**
 * Classes of results that differ from the corpus on purpose, or that no engine could reproduce from what the corpus
 * holds. Workbooks are named by the end of their id; `formula` narrows a class to some of a workbook's cells.
 */
export const KNOWN_DIFFERENCES = [
  {
    name: 'Links to other workbooks',
    reason:
      'the corpus keeps `Sheet1!A1` of `[other.xls]Sheet1!A1`: the sheet is missing here, so `#REF!` (and `#NAME?` for a name) stands for the value that Excel had cached',
    where: [
      { workbook: '19599-1.xls' },
      { workbook: '52575_main.xls' },
      { workbook: 'XRefCalc.xls' },
      { workbook: '31749.xls' },
      { workbook: 'column.fods', formula: /^[GH]21$/ },
    ],
  },
  {
    name: 'Rows hidden by hand or by a filter',
    reason: '`SUBTOTAL` leaves them out, but the corpus does not say which rows are hidden, nor every name of a column',
    where: [{ workbook: 'calc_test_no_export/tables.xlsx' }, { workbook: 'ConditionalFormattingSamples.xlsx' }],
  },
  {
    name: 'Wildcards in sorted look-ups',
    reason:
      'the file was last calculated by LibreOffice, which takes `*` and `?` for wildcards in `MATCH` with type 1 and -1, too; Excel does so with type 0 alone',
    where: [{ workbook: 'MatchFunctionTestCaseData.xls' }],
  },
  {
    name: 'Circles',
    reason:
      'a cell that reads itself, directly or through its own check, is `#REF!` here; the corpus holds what was cached',
    where: [{ workbook: 'bug67784.xlsx', formula: /^A9\*A9$/ }, { workbook: 'isblank.fods' }],
  },
  {
    name: 'LibreOffice takes arguments that Excel refuses',
    reason:
      'day count basis 2 of `AMORLINC`, a period of 0 in `SYD`, 0 in `PERMUT`, 0 in `LOGNORMDIST`, truth values as numbers, texts in `GCD` and `LCM` ranges and arguments left out of them, `FLOOR` to steps of 0; the results here are Excel’s',
    where: [
      { workbook: 'amorlinc.fods' },
      { workbook: 'syd.fods' },
      { workbook: 'permut.fods' },
      { workbook: 'lognormdist.fods' },
      { workbook: 'dec2oct.fods' },
      { workbook: 'reference_operators.fods', formula: /^(GCD|LCM)\(/ },
      { workbook: 'lcm.fods' },
      { workbook: 'mathematical/fods/floor.fods' },
    ],
  },
  {
    name: 'LibreOffice refuses arguments that Excel takes',
    reason:
      '`REPLACEB` past the end, `NEGBINOMDIST` and `FACTDOUBLE` at their lower end, `VDB` with a cost below the salvage value, `ODDLYIELD` without a coupon, `WORKDAY.INTL` with weekend 0 (another error)',
    where: [
      { workbook: 'replaceb.fods' },
      { workbook: 'negbinomdist.fods' },
      { workbook: 'factdouble.fods' },
      { workbook: 'vdb.fods' },
      { workbook: 'oddlyield.fods', formula: /, 0, / },
      { workbook: 'workday.intl.fods' },
    ],
  },
  {
    name: 'Another error in LibreOffice',
    reason:
      '`LARGE` past the end and `FTEST` of one value are `#VALUE!` there, `#NUM!` and `#DIV/0!` in Excel and here',
    where: [{ workbook: 'large.fods' }, { workbook: 'ftest.fods' }],
  },
  {
    name: 'Other formulas for bonds',
    reason:
      'LibreOffice takes `ODDLYIELD` and `MDURATION` from parts of a year, Excel (in its own workbooks) from coupon periods',
    where: [{ workbook: 'oddlyield.fods' }, { workbook: 'mduration.fods' }],
  },
  {
    name: 'Empty texts and empty cells',
    reason:
      'LibreOffice takes `""` for empty in the criteria `=` and `<>`, a reference to an empty cell for empty in `TEXTJOIN`, and compares with nothing in the criterion `>`; Excel does not',
    where: [{ workbook: 'countif.fods' }, { workbook: 'textjoin.fods' }, { workbook: 'sumif.fods' }],
  },
  {
    name: 'Unary plus on a range',
    reason: 'is a value in Excel, which intersects implicitly; LibreOffice hands the range on',
    where: [{ workbook: 'max.fods' }, { workbook: 'maxa.fods' }, { workbook: 'min.fods' }],
  },
  {
    name: 'Mode of `FLOOR`',
    reason:
      'a third argument is OpenFormula’s mode; as Excel’s function (and in the file that pretends to be it) it is an error',
    where: [{ workbook: 'floor.xcl.fods' }, { workbook: 'bug67784.xlsx', formula: /^FLOOR\(/ }],
  },
  {
    name: 'Syntax of LibreOffice alone',
    reason: '`err:7` is no formula here, so `#ERROR!`',
    where: [{ workbook: 'error.type.fods' }],
  },
  {
    name: 'Noise of sums',
    reason: 'what is left of large numbers that cancel out, or of `8.94-8`, depends on the order of adding',
    where: [{ workbook: 'FormulaEvalTestData.xls', formula: /^AVERAGE\(/ }, { workbook: 'rounddown.fods' }],
  },
  {
    name: 'Made by hand, or long ago',
    reason: 'a text typed as an error, `AND("1",1)` and `WEEKNUM` type -1 of Excel 97, `AVERAGEIF` before it was known',
    where: [
      { workbook: 'example.xlsx' },
      { workbook: 'FormulaEvalTestData.xls', formula: /^(AND|WEEKNUM)\(/ },
      { workbook: 'bug-fixes.xlsx' },
    ],
  },
];
