/** Lines of JSON, one value a line. */
export const LINES_TYPE = 'application/x-ndjson';
/** Content types of documents as files. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const CSV_TYPE = 'text/csv';
export const TSV_TYPE = 'text/tab-separated-values';
/** Whatever it is: what the file begins with tells. */
export const ANY_TYPE = 'application/octet-stream';
