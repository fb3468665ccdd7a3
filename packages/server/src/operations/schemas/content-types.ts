/** NDJSON: one JSON value per line. */
export const LINES_TYPE = 'application/x-ndjson';
/** Content types of documents as files. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const CSV_TYPE = 'text/csv';
export const TSV_TYPE = 'text/tab-separated-values';
/** Unspecified content. The beginning of the file decides its format. */
export const ANY_TYPE = 'application/octet-stream';
