import type { Node } from './ast.ts';
import { UNDERSCORE } from './characters.ts';
import { nameNode, tableNode } from './nodes.ts';

/** Parameters of LET and LAMBDA in files; an optional parameter is declared with the second one. */
export const PARAMETER_PREFIX = '_xlpm.';
export const OPTIONAL_PARAMETER_PREFIX = '_xlop.';
/** A function given as a value: `BYROW(A1:B2,_xleta.SUM)`. */
export const FUNCTION_VALUE_PREFIX = '_xleta.';

const FUNCTION_PREFIXES = ['_xlfn.', '_xlws.', '_xludf.', PARAMETER_PREFIX];

/**
 * Functions newer than Excel 2007 that files hold behind `_xlfn.`.
 * Source: [MS-XLSX] 2.2.2 (future-function-list) and the functions that Microsoft 365 added since.
 * ISO.CEILING, ECMA.CEILING, NETWORKDAYS.INTL and WORKDAY.INTL are stored without a prefix.
 */
const FUTURE = `ACOT ACOTH AGGREGATE ANCHORARRAY ARABIC ARRAYTOTEXT BASE BETA.DIST BETA.INV BINOM.DIST BINOM.DIST.RANGE
BINOM.INV BITAND BITLSHIFT BITOR BITRSHIFT BITXOR BYCOL BYROW CEILING.MATH CEILING.PRECISE CHISQ.DIST CHISQ.DIST.RT
CHISQ.INV CHISQ.INV.RT CHISQ.TEST CHOOSECOLS CHOOSEROWS COMBINA CONCAT CONFIDENCE.NORM CONFIDENCE.T COPILOT COT COTH
COVARIANCE.P COVARIANCE.S CSC CSCH DAYS DECIMAL DETECTLANGUAGE DROP ERF.PRECISE ERFC.PRECISE EXPAND EXPON.DIST F.DIST
F.DIST.RT F.INV F.INV.RT F.TEST FIELDVALUE FILTERXML FLOOR.MATH FLOOR.PRECISE FORECAST.ETS FORECAST.ETS.CONFINT
FORECAST.ETS.SEASONALITY FORECAST.ETS.STAT FORECAST.LINEAR FORMULATEXT GAMMA GAMMA.DIST GAMMA.INV GAMMALN.PRECISE GAUSS
GROUPBY HSTACK HYPGEOM.DIST IFNA IFS IMAGE IMCOSH IMCOT IMCSC IMCSCH IMSEC IMSECH IMSINH IMTAN ISFORMULA ISOMITTED
ISOWEEKNUM LAMBDA LET LOGNORM.DIST LOGNORM.INV MAKEARRAY MAP MAXIFS MINIFS MODE.MULT MODE.SNGL MUNIT NEGBINOM.DIST
NORM.DIST NORM.INV NORM.S.DIST NORM.S.INV NUMBERVALUE PDURATION PERCENTILE.EXC PERCENTILE.INC PERCENTOF
PERCENTRANK.EXC PERCENTRANK.INC PERMUTATIONA PHI PIVOTBY POISSON.DIST PQSOURCE PYTHON_STR PYTHON_TYPE PYTHON_TYPENAME
QUARTILE.EXC QUARTILE.INC QUERYSTRING RANDARRAY RANK.AVG RANK.EQ REDUCE REGEXEXTRACT REGEXREPLACE REGEXTEST RRI SCAN
SEC SECH SEQUENCE SHEET SHEETS SINGLE SKEW.P SORTBY STDEV.P STDEV.S STOCKHISTORY SWITCH T.DIST T.DIST.2T T.DIST.RT
T.INV T.INV.2T T.TEST TAKE TEXTAFTER TEXTBEFORE TEXTJOIN TEXTSPLIT TOCOL TOROW TRANSLATE TRIMRANGE UNICHAR UNICODE
UNIQUE VALUETOTEXT VAR.P VAR.S VSTACK WEBSERVICE WEIBULL.DIST WRAPCOLS WRAPROWS XLOOKUP XMATCH XOR Z.TEST`;

const STORED_NAMES: ReadonlyMap<string, string> = new Map([
  ...FUTURE.split(/\s+/).map((name) => [name, `_xlfn.${name}`] as const),
  ['FILTER', '_xlfn._xlws.FILTER'],
  ['SORT', '_xlfn._xlws.SORT'],
  ['PY', '_xlfn._xlws.PY'],
]);

/** A function's name as workbook files hold it: `XLOOKUP` as `_xlfn.XLOOKUP`. */
export function storedFunctionName(name: string): string {
  return STORED_NAMES.get(name) ?? name;
}

/** A function's upper-case name without the prefixes of files, however many there are. */
export function plainFunctionName(written: string): string {
  let from = 0;
  while (written.charCodeAt(from) === UNDERSCORE) {
    const prefix = FUNCTION_PREFIXES.find((one) => startsWith(written, one, from));
    if (prefix === undefined || from + prefix.length === written.length) break;
    from += prefix.length;
  }
  return written.slice(from).toUpperCase();
}

/** The node of a name that files mark with a prefix; null for other names. */
export function readFileName(name: string): Node | null {
  if (name.charCodeAt(0) !== UNDERSCORE) return null;
  if (hasPrefix(name, PARAMETER_PREFIX)) return nameNode(name.slice(PARAMETER_PREFIX.length));
  if (hasPrefix(name, OPTIONAL_PARAMETER_PREFIX)) {
    return tableNode('', [], name.slice(OPTIONAL_PARAMETER_PREFIX.length));
  }
  return hasPrefix(name, FUNCTION_VALUE_PREFIX) ? nameNode(name.slice(FUNCTION_VALUE_PREFIX.length)) : null;
}

function hasPrefix(name: string, prefix: string): boolean {
  return name.length > prefix.length && startsWith(name, prefix, 0);
}

function startsWith(text: string, prefix: string, from: number): boolean {
  return text.slice(from, from + prefix.length).toLowerCase() === prefix;
}
