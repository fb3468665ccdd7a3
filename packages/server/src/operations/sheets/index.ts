import { addSheet } from './add-sheet.ts';
import { deleteSheet } from './delete-sheet.ts';
import { getProtection } from './get-protection.ts';
import { listSheets } from './list-sheets.ts';
import { protectSheet } from './protect-sheet.ts';
import { renameSheet } from './rename-sheet.ts';
import { unprotectSheet } from './unprotect-sheet.ts';

/** Operations in the order of the API's reference. */
export const SHEET_OPERATIONS = [
  getProtection,
  protectSheet,
  unprotectSheet,
  listSheets,
  addSheet,
  renameSheet,
  deleteSheet,
];
