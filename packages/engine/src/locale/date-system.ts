/**
 * How serial numbers map to days. `google`: 0 = 1899-12-30, no false leap day (new documents). `1900`: Excel's, 1 =
 * 1900-01-01 and 60 = the false 1900-02-29. `1904`: 0 = 1904-01-01.
 */
export type DateSystem = 'google' | '1900' | '1904';
