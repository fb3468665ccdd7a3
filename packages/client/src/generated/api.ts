// Generated from openapi.json by `npm run client:types`.

export interface Document {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly permission: 'owner' | 'edit' | 'comment' | 'view';
  readonly revisionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Start of the serial numbers of dates: day 0 is 1899-12-30; or day 1 is 1900-01-01, with the non-existent 29 February 1900 of Excel; or day 0 is 1904-01-01. */
  readonly dateSystem: '1899-12-30' | '1900' | '1904';
  /** Number of writes that wait for consent. */
  readonly openProposals: number;
}

export interface ListDocumentsResponse {
  readonly documents: readonly Document[];
  /** `cursor` of the next page; null: this is the last page. */
  readonly nextCursor?: string | null;
}

export interface Refused {
  readonly message: string;
}

export interface Closed {
  readonly message?: string;
  readonly success?: false;
  readonly access?: false;
}

export interface PreconditionFailed {
  readonly message: string;
  readonly revisionId: string;
  /** Cells that do not have the values in `expect`, up to 100. */
  readonly differences?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly expected: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly actual: string | number | boolean | null | Readonly<Record<string, unknown>>;
  }[];
}

export interface Invalid {
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

export interface TooMany {
  readonly message: string;
  readonly retryAfter: number;
}

export interface ServerError {
  readonly message: string;
  readonly requestId: string;
}

export type CreateDocumentRequest = {
  /** 1–255 characters. */
  readonly title?: string;
  /** Locale for displaying values: `en-US`, `de-DE`, … */
  readonly locale?: string;
} | null;

export interface DocumentWithContent {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly permission: 'owner' | 'edit' | 'comment' | 'view';
  readonly revisionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Start of the serial numbers of dates: day 0 is 1899-12-30; or day 1 is 1900-01-01, with the non-existent 29 February 1900 of Excel; or day 0 is 1904-01-01. */
  readonly dateSystem: '1899-12-30' | '1900' | '1904';
  /** Number of writes that wait for consent. */
  readonly openProposals: number;
  readonly content: {
    readonly contentUrl: string;
    readonly stylesUrl: string;
  };
}

export interface CreateDocumentResponse {
  readonly document: DocumentWithContent;
  /** Detected types of the columns of a .csv file. */
  readonly columns?: readonly {
    readonly column: string;
    readonly name?: string;
    readonly type: string;
    readonly why: string;
  }[];
  /** How a .csv file was read. */
  readonly csv?: {
    /** `tab`: a tab; null: each line is one field. */
    readonly delimiter: string | null;
    readonly encoding: string;
    readonly decimal: '.' | ',';
    /** Order in dates with slashes. */
    readonly dateOrder: 'dmy' | 'mdy';
    /** The first five rows in stored form; dates are ISO texts, errors are codes. */
    readonly preview: readonly (readonly unknown[])[];
  };
  /** Parts of the file that the document does not contain. */
  readonly leftOut?: readonly {
    readonly kind: string;
    readonly count: number;
    readonly what: string;
  }[];
  /** Formulas that cannot be calculated and keep the values of the file; `cells` has the first ones. */
  readonly cached?: readonly {
    readonly kind: string;
    readonly count: number;
    readonly what: string;
    readonly cells: readonly string[];
  }[];
}

export interface GetDocumentResponse {
  readonly document: DocumentWithContent;
}

export interface RenameDocumentRequest {
  /** 1–255 characters. */
  readonly title: string;
}

export interface RenameDocumentResponse {
  readonly document: DocumentWithContent;
}

export interface DeleteDocumentResponse {
  readonly deleted: Document;
}

export type GetContentResponse = Readonly<Record<string, unknown>>;

export type GetStylesResponse = Readonly<Record<string, unknown>>;

export type CopyDocumentRequest = {
  /** 1–255 characters. */
  readonly title?: string;
} | null;

export interface CopyDocumentResponse {
  readonly document: DocumentWithContent;
}

export interface ShareDocumentRequest {
  /** The id or the e-mail address of a user. */
  readonly user: string | number;
  /** `none` ends the user’s access. */
  readonly role: 'edit' | 'comment' | 'view' | 'none';
}

export interface ShareDocumentResponse {
  readonly shared: {
    /** The user’s id. */
    readonly user: number;
    readonly role: 'edit' | 'comment' | 'view' | 'none';
  };
}

export interface ExportDocumentResponse {
  readonly report: {
    /** Parts of the document that the file does not contain, or contains in another form. */
    readonly leftOut: readonly {
      readonly kind: string;
      readonly count: number;
      readonly what: string;
    }[];
    /** Sheets whose names are not possible in the file. */
    readonly renamed: readonly {
      readonly from: string;
      readonly to: string;
    }[];
    /** Cells whose texts are cut; `length` is the length of the full text. */
    readonly shortened: readonly {
      readonly cell: string;
      readonly length: number;
    }[];
  };
}

export interface CellError {
  readonly code: string;
  readonly message: string;
}

export type Cell =
  | {
      /** Raw value; for a date its serial number. */
      readonly v: number | boolean | string;
      /** The displayed text. */
      readonly m: string;
      /** The formula; only for formula cells. */
      readonly f?: string;
      /** Only for dates. */
      readonly t?: 'd';
      readonly error?: CellError;
    }
  | string
  | number
  | boolean
  | null;

export interface Pagination {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly returned: number;
  readonly hasMore: boolean;
  readonly nextOffset: number | null;
}

export interface ValueRange {
  readonly sheet: string;
  readonly range: string;
  readonly majorDimension: 'ROWS' | 'COLUMNS';
  readonly cells: readonly (readonly Cell[])[];
  readonly pagination: Pagination;
}

export interface GetValuesResponse {
  readonly values: ValueRange;
}

export interface PutValuesRequest {
  /** Rows of cells (columns with `majorDimension` COLUMNS). `null` leaves a cell unchanged, `""` clears it. */
  readonly values: readonly (readonly (string | number | boolean | null | Readonly<Record<string, unknown>>)[])[];
  /** USER_ENTERED (default) interprets texts as if typed: formulas, numbers, dates. RAW stores texts unchanged. */
  readonly valueInputOption?: 'RAW' | 'USER_ENTERED';
  /** Locale for typed texts and for formulas, or `document` for the document’s locale. By default the locale of the token, then the document’s input locale, then the API’s grammar (`;`, decimal comma). */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** Whether the inner lists are rows or columns; ROWS by default. */
  readonly majorDimension?: 'ROWS' | 'COLUMNS';
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
}

export interface PutValuesResponse {
  readonly updated: {
    readonly sheet: string;
    readonly updatedRange: string;
    readonly updatedRows: number;
    readonly updatedColumns: number;
    readonly updatedCells: number;
    readonly cells: number;
  };
  /** Formulas that could not be parsed, values hidden by a merged range, and other warnings. */
  readonly warnings?: readonly {
    readonly cell: string;
    readonly message: string;
  }[];
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface BatchGetValuesResponse {
  readonly valueRanges: readonly (
    | ValueRange
    | {
        readonly range: string;
        readonly error: string;
      }
  )[];
}

export interface BatchGetAcrossDocumentsResponse {
  readonly valueRanges: readonly (
    | {
        /** Null: the range names no document. */
        readonly document: string | null;
        readonly sheet: string;
        readonly range: string;
        readonly majorDimension: 'ROWS' | 'COLUMNS';
        readonly cells: readonly (readonly Cell[])[];
        readonly pagination: Pagination;
      }
    | {
        /** Null: the range names no document. */
        readonly document: string | null;
        readonly range: string;
        readonly error: string;
      }
  )[];
}

export interface BatchUpdateValuesRequest {
  readonly data: readonly {
    /** An A1 range: `A1`, `A1:C3`, `A:C`, `2:4`, `A5:C`, `'My sheet'!A1`. */
    readonly range: string;
    /** Rows of cells (columns with `majorDimension` COLUMNS). `null` leaves a cell unchanged, `""` clears it. */
    readonly values: readonly (readonly (string | number | boolean | null | Readonly<Record<string, unknown>>)[])[];
  }[];
  /** USER_ENTERED (default) interprets texts as if typed: formulas, numbers, dates. RAW stores texts unchanged. */
  readonly valueInputOption?: 'RAW' | 'USER_ENTERED';
  /** Locale for typed texts and for formulas, or `document` for the document’s locale. By default the locale of the token, then the document’s input locale, then the API’s grammar (`;`, decimal comma). */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** Whether the inner lists are rows or columns; ROWS by default. */
  readonly majorDimension?: 'ROWS' | 'COLUMNS';
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
}

export interface BatchUpdateValuesResponse {
  readonly updated: {
    readonly ranges: readonly {
      readonly sheet: string;
      readonly range: string;
      readonly updatedRange: string;
      readonly updatedRows: number;
      readonly updatedColumns: number;
      readonly updatedCells: number;
      readonly cells: number;
    }[];
    readonly cells: number;
  };
  /** Formulas that could not be parsed, values hidden by a merged range, and other warnings. */
  readonly warnings?: readonly {
    readonly cell: string;
    readonly message: string;
  }[];
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface AppendValuesRequest {
  /** An A1 range: `A1`, `A1:C3`, `A:C`, `2:4`, `A5:C`, `'My sheet'!A1`. */
  readonly range: string;
  /** Rows of cells (columns with `majorDimension` COLUMNS). `null` leaves a cell unchanged, `""` clears it. */
  readonly values: readonly (readonly (string | number | boolean | null | Readonly<Record<string, unknown>>)[])[];
  /** USER_ENTERED (default) interprets texts as if typed: formulas, numbers, dates. RAW stores texts unchanged. */
  readonly valueInputOption?: 'RAW' | 'USER_ENTERED';
  /** Locale for typed texts and for formulas, or `document` for the document’s locale. By default the locale of the token, then the document’s input locale, then the API’s grammar (`;`, decimal comma). */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** Whether the inner lists are rows or columns; ROWS by default. */
  readonly majorDimension?: 'ROWS' | 'COLUMNS';
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
}

export interface AppendValuesResponse {
  readonly updated: {
    readonly sheet: string;
    readonly startRow: number;
    readonly updatedRange: string;
    readonly updatedRows: number;
    readonly updatedColumns: number;
    readonly updatedCells: number;
    readonly cells: number;
  };
  /** Formulas that could not be parsed, values hidden by a merged range, and other warnings. */
  readonly warnings?: readonly {
    readonly cell: string;
    readonly message: string;
  }[];
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface ClearValuesRequest {
  /** An A1 range: `A1`, `A1:C3`, `A:C`, `2:4`, `A5:C`, `'My sheet'!A1`. */
  readonly range: string;
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
}

export interface ClearValuesResponse {
  readonly updated: {
    readonly sheet: string;
    readonly cells: number;
  };
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface GetProtectionResponse {
  readonly protection: {
    readonly sheet: string;
    readonly hideValues: boolean;
    readonly lock: boolean;
    /** Ids of users. Users other than the owner see only their own id. */
    readonly allow: readonly number[];
  };
}

export interface ProtectSheetRequest {
  /** Only the owner and `allow` see the sheet’s values. */
  readonly hideValues?: boolean;
  /** Only the owner and `allow` may edit, rename and delete it. */
  readonly lock?: boolean;
  /** Users with access; none by default. */
  readonly allow?: readonly (string | number)[];
}

export interface ProtectSheetResponse {
  readonly protection: {
    readonly sheet: string;
    readonly hideValues: boolean;
    readonly lock: boolean;
    /** Ids of users. Users other than the owner see only their own id. */
    readonly allow: readonly number[];
  };
}

export interface UnprotectSheetResponse {
  readonly protection: {
    readonly sheet: string;
    readonly hideValues: boolean;
    readonly lock: boolean;
    /** Ids of users. Users other than the owner see only their own id. */
    readonly allow: readonly number[];
  };
}

export interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly order: number;
  readonly color: string | null;
}

export interface ListSheetsResponse {
  readonly sheets: readonly Sheet[];
}

export type AddSheetRequest = {
  /** 1–255 characters; unique in the document, regardless of case. */
  readonly name?: string;
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
} | null;

export interface AddSheetResponse {
  readonly sheet: Sheet;
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface RenameSheetRequest {
  /** 1–255 characters; unique in the document, regardless of case. */
  readonly name?: string;
  /** Whether user interfaces hide the sheet. Its cells can still be read and written. */
  readonly hidden?: boolean;
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
}

export interface RenameSheetResponse {
  readonly sheet: Sheet;
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface DeleteSheetResponse {
  readonly deleted: Sheet;
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface ListNamesResponse {
  readonly names: readonly {
    readonly name: string;
    readonly refersTo: string;
  }[];
}

export interface ListTablesResponse {
  readonly tables: readonly {
    readonly name: string;
    /** With its header row. */
    readonly range: string;
    /** Names of the columns; empty if the values of the sheet are hidden from the caller. */
    readonly columns: readonly string[];
  }[];
}

export interface ChangeStructureRequest {
  /** Operations, each an object with one key; see the documentation. Rows count from 1; columns are letters. */
  readonly operations: readonly Readonly<Record<string, unknown>>[];
  /** Locale for typed texts and for formulas, or `document` for the document’s locale. By default the locale of the token, then the document’s input locale, then the API’s grammar (`;`, decimal comma). */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
}

export interface ChangeStructureResponse {
  readonly structure: {
    readonly revisionId: string;
    /** Number of cells that each operation wrote. */
    readonly operations: readonly {
      readonly cells: number;
    }[];
  };
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface GetRecordsResponse {
  readonly records: readonly {
    /** Row of the sheet; absent for groups. */
    readonly row?: number;
    readonly fields: Readonly<Record<string, string | number | boolean | null | Readonly<Record<string, unknown>>>>;
  }[];
  readonly columns: readonly {
    readonly name: string;
    /** Letter of the column; null: it is a measure. */
    readonly column: string | null;
    readonly type: 'text' | 'number' | 'date' | 'time' | 'duration' | 'boolean' | 'mixed' | 'empty';
  }[];
  readonly revisionId: string;
  readonly pagination: {
    readonly offset: number;
    readonly limit: number;
    readonly total: number;
    readonly returned: number;
    readonly hasMore: boolean;
    readonly nextOffset: number | null;
    /** `cursor` of the next page of the same query, at this revision. */
    readonly nextCursor: string | null;
  };
}

export interface QueryRecordsRequest {
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** Accepted as in other requests, but has no effect: records do not depend on a locale. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** Conditions by column name, all of which must hold: a value, a list of values, or operators such as `{ "gte": 100 }`. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** Conditions like `where`; at least one must hold. */
  readonly any?: readonly Readonly<Record<string, unknown>>[];
  /** Conditions like `where`; none may hold. */
  readonly none?: readonly Readonly<Record<string, unknown>>[];
  /** A formula that must be TRUE for the record; `[Sum]` is the record’s own cell. */
  readonly formula?: string;
  /** Whether the case of texts matters; false by default. */
  readonly caseSensitive?: boolean;
  /** Types of columns: text, number, date, time, duration or boolean. By default the cell’s number format decides, then the majority of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by letter, in place of the names in the header. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Names of the columns to return; all by default. */
  readonly select?: readonly string[];
  /** Names of columns or measures; `-` before a name sorts in descending order. */
  readonly sort?: readonly string[];
  /** Returns groups in place of records: `groupBy`, and `measures` by name. */
  readonly aggregate?: Readonly<Record<string, unknown>>;
  /** 0 by default. */
  readonly offset?: number;
  /** Records; capped at 1000. */
  readonly limit?: number;
  /** `pagination.nextCursor` of the previous page, with the same query. */
  readonly cursor?: string;
  /** Reads the records at this revision. Together with `offset` it resumes a broken NDJSON response, within an hour on every plan. */
  readonly revision?: number;
}

export interface QueryRecordsResponse {
  readonly records: readonly {
    /** Row of the sheet; absent for groups. */
    readonly row?: number;
    readonly fields: Readonly<Record<string, string | number | boolean | null | Readonly<Record<string, unknown>>>>;
  }[];
  readonly columns: readonly {
    readonly name: string;
    /** Letter of the column; null: it is a measure. */
    readonly column: string | null;
    readonly type: 'text' | 'number' | 'date' | 'time' | 'duration' | 'boolean' | 'mixed' | 'empty';
  }[];
  readonly revisionId: string;
  readonly pagination: {
    readonly offset: number;
    readonly limit: number;
    readonly total: number;
    readonly returned: number;
    readonly hasMore: boolean;
    readonly nextOffset: number | null;
    /** `cursor` of the next page of the same query, at this revision. */
    readonly nextCursor: string | null;
  };
}

export interface AppendRecordsRequest {
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
  /** Accepted as in other requests, but has no effect: records do not depend on a locale. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** Types of columns: text, number, date, time, duration or boolean. By default the cell’s number format decides, then the majority of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by letter, in place of the names in the header. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Fields by column name. Absent fields stay unchanged; `null` or `""` clears; `{ "value", "as" }` states the type. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** Whether absent fields of appended records get the formulas of the row above. */
  readonly fillFormulas?: boolean;
}

export interface AppendRecordsResponse {
  readonly appended: {
    readonly sheet: string;
    readonly created: number;
    readonly cells: number;
    readonly records: readonly {
      /** Null: the record does not exist and was skipped. */
      readonly row: number | null;
      /** All rows with the key, if `onMany` is `all`. */
      readonly rows?: readonly number[];
      readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted';
    }[];
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
  /** Texts that look like other values of their column, and formulas that could not be parsed. */
  readonly warnings?: readonly {
    /** Its index in the request or stream. */
    readonly record?: number;
    readonly column?: string;
    /** For a warning about a cell, which has no `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more than 100 warnings. */
  readonly warningsTruncated?: boolean;
}

export interface UpsertRecordsRequest {
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
  /** Accepted as in other requests, but has no effect: records do not depend on a locale. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** Types of columns: text, number, date, time, duration or boolean. By default the cell’s number format decides, then the majority of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by letter, in place of the names in the header. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Fields by column name. Absent fields stay unchanged; `null` or `""` clears; `{ "value", "as" }` states the type. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** Whether absent fields of appended records get the formulas of the row above. */
  readonly fillFormulas?: boolean;
  /** The columns that identify a record. */
  readonly key: readonly string[];
  /** Whether the case of texts matters; false by default. */
  readonly caseSensitive?: boolean;
  /** For a record whose key exists: update (default), skip, error. */
  readonly onMatch?: 'update' | 'skip' | 'error';
  /** For a record whose key does not exist: append (default), skip, error. */
  readonly onMissing?: 'append' | 'skip' | 'error';
  /** For a record whose key occurs in several rows: error (default), first, all. */
  readonly onMany?: 'error' | 'first' | 'all';
}

export interface UpsertRecordsResponse {
  readonly upserted: {
    readonly sheet: string;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
    readonly skipped: number;
    readonly cells: number;
    readonly records: readonly {
      /** Null: the record does not exist and was skipped. */
      readonly row: number | null;
      /** All rows with the key, if `onMany` is `all`. */
      readonly rows?: readonly number[];
      readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted';
    }[];
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
  /** Texts that look like other values of their column, and formulas that could not be parsed. */
  readonly warnings?: readonly {
    /** Its index in the request or stream. */
    readonly record?: number;
    readonly column?: string;
    /** For a warning about a cell, which has no `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more than 100 warnings. */
  readonly warningsTruncated?: boolean;
}

export interface UpdateRecordsRequest {
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
  /** Accepted as in other requests, but has no effect: records do not depend on a locale. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** Conditions by column name, all of which must hold: a value, a list of values, or operators such as `{ "gte": 100 }`. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** Conditions like `where`; at least one must hold. */
  readonly any?: readonly Readonly<Record<string, unknown>>[];
  /** Conditions like `where`; none may hold. */
  readonly none?: readonly Readonly<Record<string, unknown>>[];
  /** A formula that must be TRUE for the record; `[Sum]` is the record’s own cell. */
  readonly formula?: string;
  /** Whether the case of texts matters; false by default. */
  readonly caseSensitive?: boolean;
  /** Types of columns: text, number, date, time, duration or boolean. By default the cell’s number format decides, then the majority of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by letter, in place of the names in the header. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** `true`: every record; required if there is no filter. */
  readonly all?: boolean;
  /** The new fields, in the form of one record. */
  readonly set: Readonly<Record<string, unknown>>;
}

export interface UpdateRecordsResponse {
  readonly updated: {
    readonly sheet: string;
    readonly updated: number;
    readonly unchanged: number;
    readonly cells: number;
    readonly records: readonly {
      /** Null: the record does not exist and was skipped. */
      readonly row: number | null;
      /** All rows with the key, if `onMany` is `all`. */
      readonly rows?: readonly number[];
      readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted';
    }[];
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
  /** Texts that look like other values of their column, and formulas that could not be parsed. */
  readonly warnings?: readonly {
    /** Its index in the request or stream. */
    readonly record?: number;
    readonly column?: string;
    /** For a warning about a cell, which has no `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more than 100 warnings. */
  readonly warningsTruncated?: boolean;
}

export interface DeleteRecordsRequest {
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
  /** Accepted as in other requests, but has no effect: records do not depend on a locale. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** Conditions by column name, all of which must hold: a value, a list of values, or operators such as `{ "gte": 100 }`. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** Conditions like `where`; at least one must hold. */
  readonly any?: readonly Readonly<Record<string, unknown>>[];
  /** Conditions like `where`; none may hold. */
  readonly none?: readonly Readonly<Record<string, unknown>>[];
  /** A formula that must be TRUE for the record; `[Sum]` is the record’s own cell. */
  readonly formula?: string;
  /** Whether the case of texts matters; false by default. */
  readonly caseSensitive?: boolean;
  /** Types of columns: text, number, date, time, duration or boolean. By default the cell’s number format decides, then the majority of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by letter, in place of the names in the header. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** `true`: every record; required if there is no filter. */
  readonly all?: boolean;
}

export interface DeleteRecordsResponse {
  readonly deleted: {
    readonly sheet: string;
    readonly deleted: number;
    readonly records: readonly {
      /** Null: the record does not exist and was skipped. */
      readonly row: number | null;
      /** All rows with the key, if `onMany` is `all`. */
      readonly rows?: readonly number[];
      readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted';
    }[];
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
  /** Texts that look like other values of their column, and formulas that could not be parsed. */
  readonly warnings?: readonly {
    /** Its index in the request or stream. */
    readonly record?: number;
    readonly column?: string;
    /** For a warning about a cell, which has no `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more than 100 warnings. */
  readonly warningsTruncated?: boolean;
}

export interface Webhook {
  readonly id: number;
  readonly channel: 'http' | 'messenger';
  readonly events: readonly string[];
  readonly active: boolean;
  readonly createdAt: string;
  readonly url?: string;
  readonly token: string;
  readonly chatId?: string;
  /** Only changes of these cells are notified. */
  readonly range?: string;
  /** Columns that identify the records. */
  readonly key?: readonly string[];
}

export interface ListWebhooksResponse {
  readonly webhooks: readonly Webhook[];
}

export interface CreateWebhookRequest {
  /** `http` by default. */
  readonly channel?: 'http' | 'messenger';
  /** For channel `http`. */
  readonly url?: string;
  /** For channel `messenger`. */
  readonly botToken?: string;
  /** For channel `messenger`; the id of a group begins with `-`. */
  readonly chatId?: string;
  readonly events?: readonly ('document.updated' | 'proposal.opened' | 'proposal.decided')[];
  /** Limits changes to these cells, also after they have moved. */
  readonly range?: string;
  /** Columns of `range` that identify its records (in a query `key[]=…`). `records` then has the changed records. */
  readonly key?: readonly string[];
}

export interface CreateWebhookResponse {
  readonly webhook: Webhook;
  readonly secret?: string;
}

export interface DeleteWebhookResponse {
  readonly success: boolean;
}

export interface ChangeWebhookRequest {
  readonly active?: boolean;
  readonly url?: string;
  readonly events?: readonly ('document.updated' | 'proposal.opened' | 'proposal.decided')[];
}

export interface ChangeWebhookResponse {
  readonly webhook: Webhook;
}

export type RotateWebhookSecretRequest = {
  /** How long the old secret also signs: 86400 by default; 0 if it leaked. */
  readonly overlapSeconds?: number;
} | null;

export interface RotateWebhookSecretResponse {
  /** Shown only once. */
  readonly secret: string;
  readonly overlapEndsAt: string | null;
}

export interface Attempt {
  readonly attempt: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcome: 'delivered' | 'retry' | 'refused';
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the receiver’s response. */
  readonly response: string;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly webhook: number;
  readonly test: boolean;
  readonly state: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
  readonly source: string;
  readonly sourceToken: string | null;
  /** Id of the last request that it covers; sent as `X-Request-Id`. */
  readonly requestId: string | null;
  readonly revision: {
    readonly from: number;
    readonly to: number;
  };
  readonly cellCount: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly Attempt[];
}

export interface TestWebhookResponse {
  readonly delivery: Delivery;
}

export interface ListDeliveriesResponse {
  readonly deliveries: {
    readonly entries: readonly Delivery[];
    readonly total: number;
    readonly offset: number;
    readonly limit: number;
  };
}

export interface RedeliverResponse {
  readonly delivery: Delivery;
}

export interface RedeliverByIdResponse {
  readonly delivery: Delivery;
}

export interface Change {
  readonly revision: number;
  readonly changedAt: string;
  readonly origin: string;
  readonly sourceToken: string | null;
  readonly author: {
    readonly id?: number;
    readonly name?: string;
  } | null;
  readonly cellCount: number;
  /** Cells that were written, or moved here from a sheet that the caller does not follow or see. */
  readonly ranges: readonly string[];
  /** Cells that were recalculated as a result. */
  readonly derived: readonly string[];
  readonly truncated: boolean;
  /** Moves of cells, in order. They happened before the writes. */
  readonly moved?: readonly {
    /** The source range. */
    readonly from: string;
    /** The destination, whose cells are replaced. Null: the cells were deleted, or moved to a sheet that the caller does not follow or see; their source is empty afterwards. */
    readonly to: string | null;
    /** The move happens at the same time as the previous one. */
    readonly together?: true;
  }[];
  /** Operations on sheets, rows and columns, each an object with one member. Operations on sheets whose values are hidden from the caller are left out. */
  readonly structure: readonly Readonly<Record<string, unknown>>[];
  /** The `incarnation` of this revision. */
  readonly incarnation: string;
  /** With `values=true`: the changed cells, up to a limit. */
  readonly cells?: readonly {
    readonly cell?: string;
    readonly before?: string | number | boolean | null;
    readonly after?: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
  }[];
  /** With `key`: the changed records, up to a limit. */
  readonly records?: readonly {
    readonly result?: 'created' | 'updated' | 'deleted';
    readonly key?: Readonly<Record<string, unknown>>;
    /** For a deleted record: its last row. */
    readonly row?: number;
    readonly before?: Readonly<Record<string, unknown>> | null;
    readonly after?: Readonly<Record<string, unknown>> | null;
  }[];
}

export interface ListChangesResponse {
  readonly changes: {
    readonly entries: readonly Change[];
    /** The newest revision. */
    readonly revision: number;
    /** The `since` of the next request. */
    readonly next: number;
    readonly hasMore: boolean;
    /** Id of the document’s history. Send it together with `next` in the next request. */
    readonly incarnation: string;
    /** The log no longer has the changes after `since`: read the document again. */
    readonly gap: boolean;
  };
}

export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly userId: number | null;
  readonly userName: string | null;
  readonly token: string | null;
  /** Id of the request that wrote it. */
  readonly requestId: string | null;
  readonly origin: string;
  /** Written cells, up to a limit. */
  readonly ranges: readonly string[];
  readonly cells: number;
  readonly name?: string;
  /** The revision that this one undoes. */
  readonly undoes?: number;
  /** The revision that undoes this one. */
  readonly undoneBy?: number;
  /** The proposal that this revision applied. */
  readonly proposal?: string;
  readonly appliedBy?: {
    readonly id: number;
    readonly name: string;
  };
}

export interface ListRevisionsResponse {
  readonly revisions: {
    /** Newest first. */
    readonly entries: readonly Revision[];
    readonly total: number;
    readonly offset: number;
    readonly limit: number;
  };
}

export interface NameRevisionRequest {
  /** 1–255 characters. A revision with a name is not deleted. */
  readonly name: string;
}

export interface NameRevisionResponse {
  readonly revision: Revision;
}

export type UndoRevisionRequest = {
  /** Overwrites later changes of other users. */
  readonly force?: boolean;
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
} | null;

export interface UndoRevisionResponse {
  readonly undone: {
    readonly revision: number;
    /** The new revision. */
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface UndoConflict {
  readonly message: string;
  readonly revisionId: string;
  /** Ranges that other users have changed since; empty if the revision is already undone. */
  readonly conflicts?: readonly string[];
}

export interface RestoreRevisionResponse {
  readonly restored: {
    readonly revision: number;
    /** The new revision. */
    readonly revisionId: string;
  };
}

export interface ListedProposal {
  readonly id: string;
  readonly document: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** The name of the write in the audit log. */
  readonly action: string;
  readonly proposedBy: {
    readonly id: number;
    readonly name: string;
  };
  /** Name of the token that proposed it. */
  readonly token: string | null;
  readonly origin: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The revision for which the preview was computed. */
  readonly baseRevision: number;
  /** Ranges that differ from the preview; empty: the proposal can be applied. */
  readonly conflicts: readonly string[];
  readonly summary: {
    /** Cells that the write changes. */
    readonly written: number;
    /** Cells that are recalculated as a result. */
    readonly derived: number;
    readonly sheets: readonly string[];
  };
  readonly decidedBy: {
    readonly id: number;
    readonly name: string;
  } | null;
  readonly decidedAt: string | null;
  readonly reason: string | null;
  /** The revision that applied it. */
  readonly revisionId: string | null;
  /** `true`: some changes are left out because their sheets are hidden from the caller. */
  readonly hidden?: boolean;
}

export interface ListProposalsResponse {
  readonly proposals: {
    /** Newest first. */
    readonly entries: readonly ListedProposal[];
    readonly nextCursor: string | null;
  };
}

export interface Proposal {
  readonly id: string;
  readonly document: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** The name of the write in the audit log. */
  readonly action: string;
  readonly proposedBy: {
    readonly id: number;
    readonly name: string;
  };
  /** Name of the token that proposed it. */
  readonly token: string | null;
  readonly origin: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The revision for which the preview was computed. */
  readonly baseRevision: number;
  /** Ranges that differ from the preview; empty: the proposal can be applied. */
  readonly conflicts: readonly string[];
  readonly summary: {
    /** Cells that the write changes. */
    readonly written: number;
    /** Cells that are recalculated as a result. */
    readonly derived: number;
    readonly sheets: readonly string[];
  };
  readonly decidedBy: {
    readonly id: number;
    readonly name: string;
  } | null;
  readonly decidedAt: string | null;
  readonly reason: string | null;
  /** The revision that applied it. */
  readonly revisionId: string | null;
  /** `true`: some changes are left out because their sheets are hidden from the caller. */
  readonly hidden?: boolean;
  /** The changed cells, up to 1,000. */
  readonly changes: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** The cell is recalculated, not written. */
    readonly derived?: boolean;
    /** The cell itself is deleted. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated: boolean;
}

export interface GetProposalResponse {
  readonly proposal: Proposal;
}

export type ApplyProposalRequest = {
  /** Reason, shown with the decision. */
  readonly reason?: string;
  /** Applies the proposal only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
} | null;

export interface ApplyProposalResponse {
  readonly proposal: Proposal;
}

export interface ProposalConflict {
  readonly message: string;
  readonly revisionId?: string;
  /** Ranges that have changed since the preview. */
  readonly conflicts?: readonly string[];
  /** State of a proposal that is not open. */
  readonly state?: string;
  readonly decidedBy?: {
    readonly id: number;
    readonly name: string;
  } | null;
  readonly decidedAt?: string | null;
}

export type RejectProposalRequest = {
  /** Reason, shown with the decision. */
  readonly reason?: string;
} | null;

export interface RejectProposalResponse {
  readonly proposal: Proposal;
}

export type WithdrawProposalRequest = {
  /** Reason, shown with the decision. */
  readonly reason?: string;
} | null;

export interface WithdrawProposalResponse {
  readonly proposal: Proposal;
}

export type RebaseProposalRequest = {
  /** Reason, shown with the decision. */
  readonly reason?: string;
} | null;

export interface RebaseProposalResponse {
  readonly proposal: Proposal;
}

export interface AuditEntry {
  readonly id: number;
  readonly action: string;
  readonly origin: string;
  readonly userId: number;
  readonly userName: string;
  readonly token: string;
  /** Id of the request that caused the entry. */
  readonly requestId: string | null;
  readonly properties: {
    readonly range: string;
    readonly cells: number;
    /** For entries about a subscription: its number. */
    readonly webhook?: number;
    /** The address of the subscription; only its host for other users than its owners. */
    readonly address?: string;
  };
  readonly createdAt: string;
}

export interface GetAuditResponse {
  readonly audit: {
    readonly entries: readonly AuditEntry[];
    readonly total: number;
    readonly offset: number;
    readonly limit: number;
    readonly tokens: readonly string[];
  };
}

export interface GetUserinfoResponse {
  readonly scopes: readonly string[];
}

export interface GetUsageResponse {
  readonly unlimited: boolean;
  readonly window: 'minute' | 'month' | null;
  readonly limit: number | null;
  readonly used: number | null;
  readonly remaining: number | null;
  readonly resetInSeconds: number | null;
}

/** Query, body and answer of each operation. */
export interface Operations {
  /** List all documents that the caller can open. */
  readonly listDocuments: {
    readonly query: {
      readonly type?: string;
      readonly permission?: 'owner' | 'edit' | 'comment' | 'view';
      readonly limit?: number;
      readonly cursor?: string;
    };
    readonly body: undefined;
    readonly answer: ListDocumentsResponse;
  };
  /** Create a document with one empty sheet, or from a .csv or .xlsx file. */
  readonly createDocument: {
    readonly query: {
      readonly title?: string;
      readonly locale?: string;
      readonly columns?: string | readonly string[];
      readonly delimiter?: string;
      readonly decimal?: '.' | ',';
      readonly encoding?: string;
      readonly sheet?: string;
    };
    readonly body: CreateDocumentRequest;
    readonly answer: CreateDocumentResponse;
  };
  /** Read the properties of a document. */
  readonly getDocument: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetDocumentResponse;
  };
  /** Rename a document. */
  readonly renameDocument: {
    readonly query: unknown;
    readonly body: RenameDocumentRequest;
    readonly answer: RenameDocumentResponse;
  };
  /** Delete a document; its owner can restore it for some days. */
  readonly deleteDocument: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: DeleteDocumentResponse;
  };
  /** Read all cells of a document. */
  readonly getContent: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetContentResponse;
  };
  /** Read the number formats of a document. */
  readonly getStyles: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetStylesResponse;
  };
  /** Copy a document without its history and shares. */
  readonly copyDocument: {
    readonly query: unknown;
    readonly body: CopyDocumentRequest;
    readonly answer: CopyDocumentResponse;
  };
  /** Give a user a role in a document, change it, or end the access. */
  readonly shareDocument: {
    readonly query: unknown;
    readonly body: ShareDocumentRequest;
    readonly answer: ShareDocumentResponse;
  };
  /** Export a document as an .xlsx file, or one sheet’s values as a .csv file. */
  readonly exportDocument: {
    readonly query: {
      readonly format?: 'xlsx' | 'csv';
      readonly sheet?: string;
      readonly delimiter?: ',' | ';' | '|' | 'tab';
      readonly decimal?: '.' | ',';
      readonly bom?: 'true' | 'false';
      readonly report?: 'true' | 'false';
    };
    readonly body: undefined;
    readonly answer: ExportDocumentResponse;
  };
  /** Read a range. */
  readonly getValues: {
    readonly query: {
      readonly revision?: number;
      readonly offset?: number;
      readonly limit?: number;
      readonly majorDimension?: 'ROWS' | 'COLUMNS';
      readonly render?: 'plain' | 'display';
      readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
    };
    readonly body: undefined;
    readonly answer: GetValuesResponse;
  };
  /** Write a block of values. */
  readonly putValues: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: PutValuesRequest;
    readonly answer: PutValuesResponse;
  };
  /** Read up to 20 ranges at one revision. */
  readonly batchGetValues: {
    readonly query: {
      readonly ranges: readonly string[];
      readonly majorDimension?: 'ROWS' | 'COLUMNS';
      readonly render?: 'plain' | 'display';
      readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
    };
    readonly body: undefined;
    readonly answer: BatchGetValuesResponse;
  };
  /** Read ranges of several documents, each as `{document}!{range}`. */
  readonly batchGetAcrossDocuments: {
    readonly query: {
      readonly ranges: readonly string[];
      readonly majorDimension?: 'ROWS' | 'COLUMNS';
      readonly render?: 'plain' | 'display';
      readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
    };
    readonly body: undefined;
    readonly answer: BatchGetAcrossDocumentsResponse;
  };
  /** Write several blocks, all or none. */
  readonly batchUpdateValues: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: BatchUpdateValuesRequest;
    readonly answer: BatchUpdateValuesResponse;
  };
  /** Write below the last filled row of a sheet. */
  readonly appendValues: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: AppendValuesRequest;
    readonly answer: AppendValuesResponse;
  };
  /** Clear the filled cells of a range. */
  readonly clearValues: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: ClearValuesRequest;
    readonly answer: ClearValuesResponse;
  };
  /** Read who may see and edit a sheet. */
  readonly getProtection: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetProtectionResponse;
  };
  /** Hide a sheet’s values or lock it; replaces its protection. */
  readonly protectSheet: {
    readonly query: unknown;
    readonly body: ProtectSheetRequest;
    readonly answer: ProtectSheetResponse;
  };
  /** Remove the protection of a sheet. */
  readonly unprotectSheet: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: UnprotectSheetResponse;
  };
  /** List the sheets of a document. */
  readonly listSheets: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: ListSheetsResponse;
  };
  /** Add a sheet at the end. */
  readonly addSheet: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: AddSheetRequest;
    readonly answer: AddSheetResponse;
  };
  /** Rename a sheet, or hide or show it in user interfaces. */
  readonly renameSheet: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: RenameSheetRequest;
    readonly answer: RenameSheetResponse;
  };
  /** Delete a sheet. */
  readonly deleteSheet: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: undefined;
    readonly answer: DeleteSheetResponse;
  };
  /** List the defined names of a document. */
  readonly listNames: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: ListNamesResponse;
  };
  /** List the tables of a document with their columns. */
  readonly listTables: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: ListTablesResponse;
  };
  /** Change the structure of a document: rows, columns, cells, sheets, names and tables. */
  readonly changeStructure: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: ChangeStructureRequest;
    readonly answer: ChangeStructureResponse;
  };
  /** Filter, sort, group and page rows as records. */
  readonly getRecords: {
    readonly query: {
      readonly range: string;
      readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
      readonly where?: string;
      readonly any?: string;
      readonly none?: string;
      readonly formula?: string;
      readonly caseSensitive?: 'true' | 'false';
      readonly types?: string;
      readonly columns?: string;
      readonly select?: readonly string[];
      readonly sort?: readonly string[];
      readonly aggregate?: string;
      readonly offset?: number;
      readonly limit?: number;
      readonly cursor?: string;
      readonly revision?: number;
    };
    readonly body: undefined;
    readonly answer: GetRecordsResponse;
  };
  /** Filter, sort, group and page rows as records; for queries too long for a URL. */
  readonly queryRecords: {
    readonly query: unknown;
    readonly body: QueryRecordsRequest;
    readonly answer: QueryRecordsResponse;
  };
  /** Append records below those of a range. */
  readonly appendRecords: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
      readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
      readonly range?: string;
      readonly batch?: number;
      readonly from?: number;
      readonly types?: string;
      readonly columns?: string;
      readonly fillFormulas?: 'true' | 'false';
    };
    readonly body: AppendRecordsRequest;
    readonly answer: AppendRecordsResponse;
  };
  /** Update records by a key, and append those whose key does not exist. */
  readonly upsertRecords: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
      readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
      readonly range?: string;
      readonly batch?: number;
      readonly from?: number;
      readonly types?: string;
      readonly columns?: string;
      readonly fillFormulas?: 'true' | 'false';
      readonly key?: readonly string[];
      readonly caseSensitive?: 'true' | 'false';
      readonly onMatch?: 'update' | 'skip' | 'error';
      readonly onMissing?: 'append' | 'skip' | 'error';
      readonly onMany?: 'error' | 'first' | 'all';
    };
    readonly body: UpsertRecordsRequest;
    readonly answer: UpsertRecordsResponse;
  };
  /** Set fields of the records that match a filter. */
  readonly updateRecords: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: UpdateRecordsRequest;
    readonly answer: UpdateRecordsResponse;
  };
  /** Delete the records that match a filter; rows below move up. */
  readonly deleteRecords: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: DeleteRecordsRequest;
    readonly answer: DeleteRecordsResponse;
  };
  /** List the subscriptions of a document. */
  readonly listWebhooks: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: ListWebhooksResponse;
  };
  /** Subscribe to the changes of a document. */
  readonly createWebhook: {
    readonly query: unknown;
    readonly body: CreateWebhookRequest;
    readonly answer: CreateWebhookResponse;
  };
  /** Delete a subscription. */
  readonly deleteWebhook: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: DeleteWebhookResponse;
  };
  /** Change a subscription, or switch it off and on. */
  readonly changeWebhook: {
    readonly query: unknown;
    readonly body: ChangeWebhookRequest;
    readonly answer: ChangeWebhookResponse;
  };
  /** Replace the signing secret. */
  readonly rotateWebhookSecret: {
    readonly query: unknown;
    readonly body: RotateWebhookSecretRequest;
    readonly answer: RotateWebhookSecretResponse;
  };
  /** Send a test notification. */
  readonly testWebhook: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: TestWebhookResponse;
  };
  /** List the deliveries of a subscription, newest first. */
  readonly listDeliveries: {
    readonly query: {
      readonly state?: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
      readonly since?: string;
      readonly until?: string;
      readonly revision?: number;
      readonly offset?: number;
      readonly limit?: number;
    };
    readonly body: undefined;
    readonly answer: ListDeliveriesResponse;
  };
  /** Send a delivery again, under its own id. */
  readonly redeliver: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: RedeliverResponse;
  };
  /** Send a delivery again, by its id only. */
  readonly redeliverById: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: RedeliverByIdResponse;
  };
  /** List the changes of a document after a revision. */
  readonly listChanges: {
    readonly query: {
      readonly since: string;
      readonly incarnation?: string;
      readonly limit?: number;
      readonly range?: string;
      readonly key?: readonly string[];
      readonly values?: 'true' | 'false';
    };
    readonly body: undefined;
    readonly answer: ListChangesResponse;
  };
  /** Follow the changes of a document as server-sent events. */
  readonly streamChanges: {
    readonly query: {
      readonly since?: string;
      readonly incarnation?: string;
      readonly range?: string;
      readonly key?: readonly string[];
      readonly values?: 'true' | 'false';
    };
    readonly body: undefined;
    readonly answer: string;
  };
  /** List the stored revisions. */
  readonly listRevisions: {
    readonly query: {
      readonly offset?: number;
      readonly limit?: number;
    };
    readonly body: undefined;
    readonly answer: ListRevisionsResponse;
  };
  /** Name a revision, which keeps it. */
  readonly nameRevision: {
    readonly query: unknown;
    readonly body: NameRevisionRequest;
    readonly answer: NameRevisionResponse;
  };
  /** Undo a revision, as a new revision. */
  readonly undoRevision: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: UndoRevisionRequest;
    readonly answer: UndoRevisionResponse;
  };
  /** Restore the whole document to a revision, as a new revision. */
  readonly restoreRevision: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: undefined;
    readonly answer: RestoreRevisionResponse;
  };
  /** List proposals: writes that wait for consent, and decided ones. */
  readonly listProposals: {
    readonly query: {
      readonly state?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };
    readonly body: undefined;
    readonly answer: ListProposalsResponse;
  };
  /** Show a proposal with what it would change. */
  readonly getProposal: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetProposalResponse;
  };
  /** Apply a proposal. */
  readonly applyProposal: {
    readonly query: {
      readonly ifRevision?: string;
    };
    readonly body: ApplyProposalRequest;
    readonly answer: ApplyProposalResponse;
  };
  /** Reject a proposal. */
  readonly rejectProposal: {
    readonly query: unknown;
    readonly body: RejectProposalRequest;
    readonly answer: RejectProposalResponse;
  };
  /** Withdraw the caller’s own proposal. */
  readonly withdrawProposal: {
    readonly query: unknown;
    readonly body: WithdrawProposalRequest;
    readonly answer: WithdrawProposalResponse;
  };
  /** Compute a proposal’s preview again on the newest state. */
  readonly rebaseProposal: {
    readonly query: unknown;
    readonly body: RebaseProposalRequest;
    readonly answer: RebaseProposalResponse;
  };
  /** List changes made through the API and integrations, newest first. */
  readonly getAudit: {
    readonly query: {
      readonly offset?: number;
      readonly limit?: number;
    };
    readonly body: undefined;
    readonly answer: GetAuditResponse;
  };
  /** Show the scopes of the token. */
  readonly getUserinfo: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetUserinfoResponse;
  };
  /** Show the quota of AI agents. */
  readonly getUsage: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetUsageResponse;
  };
}
