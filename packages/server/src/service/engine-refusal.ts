import { cellText, type Refusal as EngineRefusal } from '@cellwire/engine';
import { formatQualifiedRange } from './ranges.ts';
import {
  CALCULATION_LIMIT,
  INVALID_RANGE,
  invalidRequest,
  LAST_SHEET,
  NAME_NOT_FOUND,
  type Refusal,
  SHEET_FULL,
  SHEET_NAME_TAKEN,
  SHEET_NOT_FOUND,
  SHEET_PROTECTED,
  TABLE_NOT_FOUND,
  VALUES_HIDDEN,
} from './refusal.ts';

/** Translates a refusal of the engine into one of the API. */
export function toApiRefusal(refusal: EngineRefusal): Refusal {
  switch (refusal.reason) {
    case 'sheetNotFound':
      return SHEET_NOT_FOUND;
    case 'sheetNameTaken':
      return SHEET_NAME_TAKEN;
    case 'invalidSheetName':
      return invalidRequest('name', refusal.message);
    case 'lastSheet':
      return LAST_SHEET;
    case 'nameNotFound':
      return NAME_NOT_FOUND;
    case 'tableNotFound':
      return TABLE_NOT_FOUND;
    case 'invalidName':
      return invalidRequest('name', refusal.message);
    case 'invalidFormula':
      return invalidRequest('refersTo', refusal.message);
    case 'invalidTable':
      return invalidRequest('range', refusal.message);
    case 'sheetLocked':
      return SHEET_PROTECTED;
    case 'notFiltered':
      return invalidRequest('column', 'The sheet has no filter over this column: set one first');
    case 'outsideGrid':
      return INVALID_RANGE;
    case 'sheetFull':
      return SHEET_FULL;
    case 'textTooLong':
      return invalidRequest('values', `A text may have ${refusal.limit} characters at most`);
    case 'formulaTooLong':
      return invalidRequest('values', `A formula may have ${refusal.limit} characters at most`);
    case 'formulaTooDeep': {
      const cell = formatQualifiedRange(refusal.sheet, cellText(refusal.row, refusal.column));
      const message = `A formula may be nested ${refusal.limit} levels deep at most, and that of ${cell} is deeper`;
      return invalidRequest('values', message);
    }
    case 'tooMany': {
      const message = `A document may have ${refusal.limit} ${refusal.what} at most: delete some first`;
      return invalidRequest('name', message);
    }
    case 'hiddenSheetRead':
      return VALUES_HIDDEN;
    case 'calculationLimit':
      return CALCULATION_LIMIT;
  }
}
