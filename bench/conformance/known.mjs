/**
 * Classes of results that differ from the corpus on purpose, or that no engine can reproduce from the data of the
 * corpus. Workbooks are identified by the end of their id; `formula` limits a class to some cells of a workbook.
 */
export const KNOWN_DIFFERENCES = [
  {
    name: 'Links to other workbooks',
    reason:
      'the corpus stores `[other.xls]Sheet1!A1` as `Sheet1!A1`. The sheet does not exist, so the result is `#REF!` (`#NAME?` for a name) instead of the value that Excel had cached',
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
    reason: '`SUBTOTAL` skips them, but the corpus does not say which rows are hidden, nor all names of columns',
    where: [{ workbook: 'calc_test_no_export/tables.xlsx' }, { workbook: 'ConditionalFormattingSamples.xlsx' }],
  },
  {
    name: 'Wildcards in sorted lookups',
    reason:
      'the file was last calculated by LibreOffice, where `*` and `?` are wildcards in `MATCH` with every type; in Excel only with type 0',
    where: [{ workbook: 'MatchFunctionTestCaseData.xls' }],
  },
  {
    name: 'Circular references',
    reason:
      'a cell that reads itself, directly or through its own check, is `#REF!` here; the corpus contains the cached value',
    where: [{ workbook: 'bug67784.xlsx', formula: /^A9\*A9$/ }, { workbook: 'isblank.fods' }],
  },
  {
    name: 'LibreOffice accepts arguments that Excel refuses',
    reason:
      'day count basis 2 of `AMORLINC`, a period of 0 in `SYD`, 0 in `PERMUT`, 0 in `LOGNORMDIST`, truth values as numbers, texts in ranges of `GCD` and `LCM` and missing arguments of them, `FLOOR` to multiples of 0; the results here are Excel’s',
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
    name: 'LibreOffice refuses arguments that Excel accepts',
    reason:
      '`REPLACEB` past the end, `NEGBINOMDIST` and `FACTDOUBLE` at their lower limit, `VDB` with a cost below the salvage value, `ODDLYIELD` without a coupon, `WORKDAY.INTL` with weekend 0 (another error)',
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
    name: 'A different error in LibreOffice',
    reason:
      '`LARGE` past the end and `FTEST` of one value are `#VALUE!` there, `#NUM!` and `#DIV/0!` in Excel and here',
    where: [{ workbook: 'large.fods' }, { workbook: 'ftest.fods' }],
  },
  {
    name: 'Other formulas for bonds',
    reason:
      'LibreOffice computes `ODDLYIELD` and `MDURATION` from fractions of a year, Excel (in its own workbooks) from coupon periods',
    where: [{ workbook: 'oddlyield.fods' }, { workbook: 'mduration.fods' }],
  },
  {
    name: 'Empty texts and empty cells',
    reason:
      'LibreOffice treats `""` as empty in the criteria `=` and `<>`, a reference to an empty cell as empty in `TEXTJOIN`, and compares with an empty value in the criterion `>`; Excel does not',
    where: [{ workbook: 'countif.fods' }, { workbook: 'textjoin.fods' }, { workbook: 'sumif.fods' }],
  },
  {
    name: 'Unary plus on a range',
    reason: 'Excel takes one value by implicit intersection; LibreOffice passes the range on',
    where: [{ workbook: 'max.fods' }, { workbook: 'maxa.fods' }, { workbook: 'min.fods' }],
  },
  {
    name: 'Mode of `FLOOR`',
    reason:
      'a third argument is OpenFormula’s mode, which the function accepts here as `FLOOR.MATH` does; LibreOffice and Excel refuse some of these calls',
    where: [{ workbook: 'floor.xcl.fods' }, { workbook: 'bug67784.xlsx', formula: /^FLOOR\(/ }],
  },
  {
    name: 'Results that suites of Excel’s results contradict',
    reason:
      '`LCM` of empty cells, `MODE` with a text as an argument, `MIRR` of losses only, `PMT` with a rate of −1: other published results of Excel differ from the cached value, and the results here are theirs',
    where: [
      { workbook: 'LCM_GCD.xlsx' },
      { workbook: 'FormulaEvalTestData.xls', formula: /^(MODE|MIRR)\(/ },
      { workbook: 'pmt.fods' },
    ],
  },
  {
    name: '`COLUMNS` without an argument',
    reason: 'it is 0 in LibreOffice; Excel requires the argument',
    where: [{ workbook: 'columns.fods' }],
  },
  {
    name: 'Syntax that only LibreOffice has',
    reason: '`err:7` is not a valid formula here, so it is `#ERROR!`',
    where: [{ workbook: 'error.type.fods' }],
  },
  {
    name: 'Rounding of sums',
    reason: 'the remainder of large numbers that cancel out, or of `8.94-8`, depends on the order of additions',
    where: [{ workbook: 'FormulaEvalTestData.xls', formula: /^AVERAGE\(/ }, { workbook: 'rounddown.fods' }],
  },
  {
    name: 'Edited by hand, or from old versions',
    reason: 'an error typed as text, `WEEKNUM` type -1 of Excel 97, `AVERAGEIF` from before it existed',
    where: [
      { workbook: 'example.xlsx' },
      { workbook: 'FormulaEvalTestData.xls', formula: /^WEEKNUM\(/ },
      { workbook: 'bug-fixes.xlsx' },
    ],
  },
];
