/**
 * How serial numbers map to days. `google`: 0 is 1899-12-30; no false leap day; used for new documents. `1900`: as in
 * Excel, 1 is 1900-01-01 and 60 the false date 1900-02-29. `1904`: 0 is 1904-01-01.
 */
export type DateSystem = 'google' | '1900' | '1904';
