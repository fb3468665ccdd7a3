import { ACCRUALS } from './financial/accruals.ts';
import { BONDS } from './financial/bonds.ts';
import { CASHFLOWS } from './financial/cashflows.ts';
import { DEPRECIATION } from './financial/depreciation.ts';
import { DISCOUNTS } from './financial/discounts.ts';
import { DOLLARS } from './financial/dollars.ts';
import { FRENCH_DEPRECIATION } from './financial/french-depreciation.ts';
import { LOANS } from './financial/loans.ts';
import { ODD_BONDS } from './financial/odd-bonds.ts';
import type { FunctionSpec } from './spec.ts';

/** Loans, cash flows, depreciation, bonds and bills. */
export const FINANCIAL: readonly FunctionSpec[] = [
  LOANS,
  CASHFLOWS,
  DEPRECIATION,
  FRENCH_DEPRECIATION,
  BONDS,
  ODD_BONDS,
  ACCRUALS,
  DISCOUNTS,
  DOLLARS,
].flat();
