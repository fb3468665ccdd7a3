// Generated from openapi.json by `npm run client:types`.

export interface Document {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly permission: 'owner' | 'edit' | 'comment' | 'view';
  readonly revisionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What serial numbers of dates count from: day 0 is 1899-12-30; or day 1 is 1900-01-01, with a 29 February 1900 that never was (Excel); or day 0 is 1904-01-01. */
  readonly dateSystem: '1899-12-30' | '1900' | '1904';
  /** Writes that wait for consent. */
  readonly openProposals: number;
}

export interface ListDocumentsResponse {
  readonly documents: readonly Document[];
  /** Of a page: where the next one begins; null: it was the last. */
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
  /** Cells that do not hold what `expect` says, the first 100. */
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
  /** How values are shown: `en-US`, `de-DE`, … */
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
  /** What serial numbers of dates count from: day 0 is 1899-12-30; or day 1 is 1900-01-01, with a 29 February 1900 that never was (Excel); or day 0 is 1904-01-01. */
  readonly dateSystem: '1899-12-30' | '1900' | '1904';
  /** Writes that wait for consent. */
  readonly openProposals: number;
  readonly content: {
    readonly contentUrl: string;
    readonly stylesUrl: string;
  };
}

export interface CreateDocumentResponse {
  readonly document: DocumentWithContent;
  /** What the columns of a .csv file were taken for. */
  readonly columns?: readonly {
    readonly column: string;
    readonly name?: string;
    readonly type: string;
    readonly why: string;
  }[];
  /** How a .csv file was read. */
  readonly csv?: {
    /** `tab` for a tab; null: every line is one field. */
    readonly delimiter: string | null;
    readonly encoding: string;
    readonly decimal: '.' | ',';
    /** Of dates with slashes. */
    readonly dateOrder: 'dmy' | 'mdy';
    /** The first five rows as they are stored; dates as ISO texts, errors as codes. */
    readonly preview: readonly (readonly unknown[])[];
  };
  /** What of the file the document does not hold. */
  readonly leftOut?: readonly {
    readonly kind: string;
    readonly count: number;
    readonly what: string;
  }[];
  /** Formulas that cannot be calculated, and keep the file’s values; `cells` names the first ones. */
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
    /** What of the document the file does not hold as it is. */
    readonly leftOut: readonly {
      readonly kind: string;
      readonly count: number;
      readonly what: string;
    }[];
    /** Sheets whose names the file cannot hold. */
    readonly renamed: readonly {
      readonly from: string;
      readonly to: string;
    }[];
    /** Cells whose texts are cut; `length` is that of the whole text. */
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
      /** Raw value; of a date its serial number. */
      readonly v: number | boolean | string;
      /** As the user sees it. */
      readonly m: string;
      /** The formula; only of formula cells. */
      readonly f?: string;
      /** Only of dates. */
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
  /** Rows of cells (columns with `majorDimension` COLUMNS). `null` leaves a cell as it is, `""` clears it. */
  readonly values: readonly (readonly (string | number | boolean | null | Readonly<Record<string, unknown>>)[])[];
  /** USER_ENTERED (default) reads texts as if typed: formulas, numbers, dates. RAW stores them as they are. */
  readonly valueInputOption?: 'RAW' | 'USER_ENTERED';
  /** By whose habits texts and formulas are typed and formulas shown: a locale’s, or `document` for its own. Else the token’s, the document’s, the API’s grammar (`;`, decimal comma). */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** What the inner lists are; ROWS by default. */
  readonly majorDimension?: 'ROWS' | 'COLUMNS';
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
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
  /** Formulas that could not be read, values that a merged range hides, and other doubts. */
  readonly warnings?: readonly {
    readonly cell: string;
    readonly message: string;
  }[];
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
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
        /** Null where the range names none. */
        readonly document: string | null;
        readonly sheet: string;
        readonly range: string;
        readonly majorDimension: 'ROWS' | 'COLUMNS';
        readonly cells: readonly (readonly Cell[])[];
        readonly pagination: Pagination;
      }
    | {
        /** Null where the range names none. */
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
    /** Rows of cells (columns with `majorDimension` COLUMNS). `null` leaves a cell as it is, `""` clears it. */
    readonly values: readonly (readonly (string | number | boolean | null | Readonly<Record<string, unknown>>)[])[];
  }[];
  /** USER_ENTERED (default) reads texts as if typed: formulas, numbers, dates. RAW stores them as they are. */
  readonly valueInputOption?: 'RAW' | 'USER_ENTERED';
  /** By whose habits texts and formulas are typed and formulas shown: a locale’s, or `document` for its own. Else the token’s, the document’s, the API’s grammar (`;`, decimal comma). */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** What the inner lists are; ROWS by default. */
  readonly majorDimension?: 'ROWS' | 'COLUMNS';
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
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
  /** Formulas that could not be read, values that a merged range hides, and other doubts. */
  readonly warnings?: readonly {
    readonly cell: string;
    readonly message: string;
  }[];
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface AppendValuesRequest {
  /** An A1 range: `A1`, `A1:C3`, `A:C`, `2:4`, `A5:C`, `'My sheet'!A1`. */
  readonly range: string;
  /** Rows of cells (columns with `majorDimension` COLUMNS). `null` leaves a cell as it is, `""` clears it. */
  readonly values: readonly (readonly (string | number | boolean | null | Readonly<Record<string, unknown>>)[])[];
  /** USER_ENTERED (default) reads texts as if typed: formulas, numbers, dates. RAW stores them as they are. */
  readonly valueInputOption?: 'RAW' | 'USER_ENTERED';
  /** By whose habits texts and formulas are typed and formulas shown: a locale’s, or `document` for its own. Else the token’s, the document’s, the API’s grammar (`;`, decimal comma). */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** What the inner lists are; ROWS by default. */
  readonly majorDimension?: 'ROWS' | 'COLUMNS';
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
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
  /** Formulas that could not be read, values that a merged range hides, and other doubts. */
  readonly warnings?: readonly {
    readonly cell: string;
    readonly message: string;
  }[];
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface ClearValuesRequest {
  /** An A1 range: `A1`, `A1:C3`, `A:C`, `2:4`, `A5:C`, `'My sheet'!A1`. */
  readonly range: string;
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
}

export interface ClearValuesResponse {
  readonly updated: {
    readonly sheet: string;
    readonly cells: number;
  };
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
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
    /** Ids of users; to others than the owner, none but their own. */
    readonly allow: readonly number[];
  };
}

export interface ProtectSheetRequest {
  /** Only the owner and `allow` see the sheet’s values. */
  readonly hideValues?: boolean;
  /** Only the owner and `allow` may edit, rename and delete it. */
  readonly lock?: boolean;
  /** Nobody by default. */
  readonly allow?: readonly (string | number)[];
}

export interface ProtectSheetResponse {
  readonly protection: {
    readonly sheet: string;
    readonly hideValues: boolean;
    readonly lock: boolean;
    /** Ids of users; to others than the owner, none but their own. */
    readonly allow: readonly number[];
  };
}

export interface UnprotectSheetResponse {
  readonly protection: {
    readonly sheet: string;
    readonly hideValues: boolean;
    readonly lock: boolean;
    /** Ids of users; to others than the owner, none but their own. */
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
  /** 1–255 characters; unique in the document, whatever the case. */
  readonly name?: string;
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
} | null;

export interface AddSheetResponse {
  readonly sheet: Sheet;
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface RenameSheetRequest {
  /** 1–255 characters; unique in the document, whatever the case. */
  readonly name?: string;
  /** Whether user interfaces hide it; reading and writing it stay as they are. */
  readonly hidden?: boolean;
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
}

export interface RenameSheetResponse {
  readonly sheet: Sheet;
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface DeleteSheetResponse {
  readonly deleted: Sheet;
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
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
    /** Their names; none where the values of its sheet are hidden from the caller. */
    readonly columns: readonly string[];
  }[];
}

export interface ChangeStructureRequest {
  /** What to do, each an object with one key; see the README. Rows as people count them, columns as letters. */
  readonly operations: readonly Readonly<Record<string, unknown>>[];
  /** By whose habits texts and formulas are typed and formulas shown: a locale’s, or `document` for its own. Else the token’s, the document’s, the API’s grammar (`;`, decimal comma). */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
}

export interface ChangeStructureResponse {
  readonly structure: {
    readonly revisionId: string;
    /** Cells that each of them wrote. */
    readonly operations: readonly {
      readonly cells: number;
    }[];
  };
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface GetRecordsResponse {
  readonly records: readonly {
    /** Of the sheet; groups have none. */
    readonly row?: number;
    readonly fields: Readonly<Record<string, string | number | boolean | null | Readonly<Record<string, unknown>>>>;
  }[];
  readonly columns: readonly {
    readonly name: string;
    /** Its letter; null: a measure. */
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
    /** Sent as `cursor` with the same query: goes on at this revision. */
    readonly nextCursor: string | null;
  };
}

export interface QueryRecordsRequest {
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** As elsewhere. Records are never read or shown by the habits of a locale: it changes nothing here. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** What columns hold, all of it: a value, a list of values, or operators such as `{ "gte": 100 }`. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** Conditions such as `where`, of which one holds. */
  readonly any?: readonly Readonly<Record<string, unknown>>[];
  /** Conditions such as `where`, none of which holds. */
  readonly none?: readonly Readonly<Record<string, unknown>>[];
  /** A formula that is calculated for each record; `[Sum]` is the record’s own cell. */
  readonly formula?: string;
  /** Whether texts are told apart by case; false by default. */
  readonly caseSensitive?: boolean;
  /** Types of columns: text, number, date, time, duration or boolean. Without one each cell’s number format says, then most of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by their letters, in place of the header’s. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Names of the columns to answer with; all by default. */
  readonly select?: readonly string[];
  /** Names of columns, or of measures; `-` before one sorts downwards. */
  readonly sort?: readonly string[];
  /** Groups in place of records: `groupBy`, and `measures` by name. */
  readonly aggregate?: Readonly<Record<string, unknown>>;
  /** 0 by default. */
  readonly offset?: number;
  /** Records; capped at 1000. */
  readonly limit?: number;
  /** `pagination.nextCursor` of the page before, with the same query. */
  readonly cursor?: string;
  /** Reads the records as they were at this revision: to take up a stream of lines where it broke, together with `offset`, within an hour on every plan. */
  readonly revision?: number;
}

export interface QueryRecordsResponse {
  readonly records: readonly {
    /** Of the sheet; groups have none. */
    readonly row?: number;
    readonly fields: Readonly<Record<string, string | number | boolean | null | Readonly<Record<string, unknown>>>>;
  }[];
  readonly columns: readonly {
    readonly name: string;
    /** Its letter; null: a measure. */
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
    /** Sent as `cursor` with the same query: goes on at this revision. */
    readonly nextCursor: string | null;
  };
}

export interface AppendRecordsRequest {
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
  /** As elsewhere. Records are never read or shown by the habits of a locale: it changes nothing here. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** Types of columns: text, number, date, time, duration or boolean. Without one each cell’s number format says, then most of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by their letters, in place of the header’s. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Fields by the names of their columns. Absent: left alone; `null` or `""`: cleared; `{ "value", "as" }` says the type. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** Whether appended records get the formulas of the row above in the columns that they leave out. */
  readonly fillFormulas?: boolean;
}

export interface AppendRecordsResponse {
  readonly appended: {
    readonly sheet: string;
    readonly created: number;
    readonly cells: number;
    readonly records: readonly {
      /** Null: a missing record was skipped. */
      readonly row: number | null;
      /** All rows of the key, with `onMany` all. */
      readonly rows?: readonly number[];
      readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted';
    }[];
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
  /** Texts that look like other values of their column, and formulas that could not be read. */
  readonly warnings?: readonly {
    /** Its place in the request, or stream. */
    readonly record?: number;
    readonly column?: string;
    /** Of a warning of a cell, without `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more warnings than 100. */
  readonly warningsTruncated?: boolean;
}

export interface UpsertRecordsRequest {
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
  /** As elsewhere. Records are never read or shown by the habits of a locale: it changes nothing here. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** Types of columns: text, number, date, time, duration or boolean. Without one each cell’s number format says, then most of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by their letters, in place of the header’s. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** Fields by the names of their columns. Absent: left alone; `null` or `""`: cleared; `{ "value", "as" }` says the type. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
  /** Whether appended records get the formulas of the row above in the columns that they leave out. */
  readonly fillFormulas?: boolean;
  /** The columns that tell records apart. */
  readonly key: readonly string[];
  /** Whether texts are told apart by case; false by default. */
  readonly caseSensitive?: boolean;
  /** What to do with a record whose key is there: update (default), skip, error. */
  readonly onMatch?: 'update' | 'skip' | 'error';
  /** … whose key is not there: append (default), skip, error. */
  readonly onMissing?: 'append' | 'skip' | 'error';
  /** … whose key several rows have: error (default), first, all. */
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
      /** Null: a missing record was skipped. */
      readonly row: number | null;
      /** All rows of the key, with `onMany` all. */
      readonly rows?: readonly number[];
      readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted';
    }[];
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
  /** Texts that look like other values of their column, and formulas that could not be read. */
  readonly warnings?: readonly {
    /** Its place in the request, or stream. */
    readonly record?: number;
    readonly column?: string;
    /** Of a warning of a cell, without `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more warnings than 100. */
  readonly warningsTruncated?: boolean;
}

export interface UpdateRecordsRequest {
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
  /** As elsewhere. Records are never read or shown by the habits of a locale: it changes nothing here. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** What columns hold, all of it: a value, a list of values, or operators such as `{ "gte": 100 }`. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** Conditions such as `where`, of which one holds. */
  readonly any?: readonly Readonly<Record<string, unknown>>[];
  /** Conditions such as `where`, none of which holds. */
  readonly none?: readonly Readonly<Record<string, unknown>>[];
  /** A formula that is calculated for each record; `[Sum]` is the record’s own cell. */
  readonly formula?: string;
  /** Whether texts are told apart by case; false by default. */
  readonly caseSensitive?: boolean;
  /** Types of columns: text, number, date, time, duration or boolean. Without one each cell’s number format says, then most of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by their letters, in place of the header’s. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** `true` where no filter is meant to say every record. */
  readonly all?: boolean;
  /** What the records are to hold; as one record. */
  readonly set: Readonly<Record<string, unknown>>;
}

export interface UpdateRecordsResponse {
  readonly updated: {
    readonly sheet: string;
    readonly updated: number;
    readonly unchanged: number;
    readonly cells: number;
    readonly records: readonly {
      /** Null: a missing record was skipped. */
      readonly row: number | null;
      /** All rows of the key, with `onMany` all. */
      readonly rows?: readonly number[];
      readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted';
    }[];
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
  /** Texts that look like other values of their column, and formulas that could not be read. */
  readonly warnings?: readonly {
    /** Its place in the request, or stream. */
    readonly record?: number;
    readonly column?: string;
    /** Of a warning of a cell, without `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more warnings than 100. */
  readonly warningsTruncated?: boolean;
}

export interface DeleteRecordsRequest {
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
  /** As elsewhere. Records are never read or shown by the habits of a locale: it changes nothing here. */
  readonly inputLocale?: 'ru-RU' | 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR' | 'es-ES' | 'it-IT' | 'document';
  /** An A1 range whose first row is the header, a table or a defined name. */
  readonly range: string;
  /** What columns hold, all of it: a value, a list of values, or operators such as `{ "gte": 100 }`. */
  readonly where?: Readonly<Record<string, unknown>>;
  /** Conditions such as `where`, of which one holds. */
  readonly any?: readonly Readonly<Record<string, unknown>>[];
  /** Conditions such as `where`, none of which holds. */
  readonly none?: readonly Readonly<Record<string, unknown>>[];
  /** A formula that is calculated for each record; `[Sum]` is the record’s own cell. */
  readonly formula?: string;
  /** Whether texts are told apart by case; false by default. */
  readonly caseSensitive?: boolean;
  /** Types of columns: text, number, date, time, duration or boolean. Without one each cell’s number format says, then most of the column’s filled cells. */
  readonly types?: Readonly<Record<string, unknown>>;
  /** Names for columns by their letters, in place of the header’s. */
  readonly columns?: Readonly<Record<string, unknown>>;
  /** `true` where no filter is meant to say every record. */
  readonly all?: boolean;
}

export interface DeleteRecordsResponse {
  readonly deleted: {
    readonly sheet: string;
    readonly deleted: number;
    readonly records: readonly {
      /** Null: a missing record was skipped. */
      readonly row: number | null;
      /** All rows of the key, with `onMany` all. */
      readonly rows?: readonly number[];
      readonly result: 'created' | 'updated' | 'unchanged' | 'skipped' | 'deleted';
    }[];
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
  /** Texts that look like other values of their column, and formulas that could not be read. */
  readonly warnings?: readonly {
    /** Its place in the request, or stream. */
    readonly record?: number;
    readonly column?: string;
    /** Of a warning of a cell, without `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more warnings than 100. */
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
  /** Only what happens there is told. */
  readonly range?: string;
  /** Columns that tell its records apart. */
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
  /** For channel `messenger`; a group’s begins with `-`. */
  readonly chatId?: string;
  readonly events?: readonly ('document.updated' | 'proposal.opened' | 'proposal.decided')[];
  /** Only what happens to these cells is told, wherever later changes put them. */
  readonly range?: string;
  /** Columns of `range` that tell its records apart (in a query `key[]=…`): `records` says what became of them. */
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
  /** How long the old secret signs, too: 86400 by default; 0 for one that leaked. */
  readonly overlapSeconds?: number;
} | null;

export interface RotateWebhookSecretResponse {
  /** Shown this once. */
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
  /** The beginning of the receiver’s answer. */
  readonly response: string;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly webhook: number;
  readonly test: boolean;
  readonly state: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
  readonly source: string;
  readonly sourceToken: string | null;
  /** Of the last request that it covers; sent as `X-Request-Id`. */
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
  /** Cells that were written, or cut from a sheet that is not told of. */
  readonly ranges: readonly string[];
  /** Cells recalculated because of them. */
  readonly derived: readonly string[];
  readonly truncated: boolean;
  /** Where cells went that changed places, one after the other, before any were written. */
  readonly moved?: readonly {
    /** The cells leave it. */
    readonly from: string;
    /** They take the place of what is there. Null: they are deleted, or gone to a sheet that is not told of, and no others come where they were. */
    readonly to: string | null;
    /** At the same time as the one before. */
    readonly together?: true;
  }[];
  /** What was done to sheets as such, each as one member with its names; without what concerns a sheet whose values are hidden from the reader. */
  readonly structure: readonly Readonly<Record<string, unknown>>[];
  /** As below, of this revision. */
  readonly incarnation: string;
  /** With `values=true`; the first of many. */
  readonly cells?: readonly {
    readonly cell?: string;
    readonly before?: string | number | boolean | null;
    readonly after?: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
  }[];
  /** With `key`; the first of many. */
  readonly records?: readonly {
    readonly result?: 'created' | 'updated' | 'deleted';
    readonly key?: Readonly<Record<string, unknown>>;
    /** Of a deleted record where it stood. */
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
    /** The `since` to go on with. */
    readonly next: number;
    readonly hasMore: boolean;
    /** Names the history that `next` is a place of: to be given back with it. */
    readonly incarnation: string;
    /** The log does not reach back to `since`: read the document anew. */
    readonly gap: boolean;
  };
}

export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly userId: number | null;
  readonly userName: string | null;
  readonly token: string | null;
  /** Of the request that wrote it. */
  readonly requestId: string | null;
  readonly origin: string;
  /** Cells that were written; the first of many ranges. */
  readonly ranges: readonly string[];
  readonly cells: number;
  readonly name?: string;
  /** The revision that this one took back. */
  readonly undoes?: number;
  /** The revision that took this one back. */
  readonly undoneBy?: number;
  /** The proposal that it applied. */
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
  /** 1–255 characters. A revision with a name is kept. */
  readonly name: string;
}

export interface NameRevisionResponse {
  readonly revision: Revision;
}

export type UndoRevisionRequest = {
  /** Overwrite what others have written there since. */
  readonly force?: boolean;
  /** The write is only made on this revision of the document, else 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must hold, else 412 with `differences`; `null` is empty, dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer says what would change. */
  readonly dryRun?: boolean;
} | null;

export interface UndoRevisionResponse {
  readonly undone: {
    readonly revision: number;
    /** Of the new commit. */
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** Of a dry run: what would change, the first 1,000 cells. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
    /** Goes with its row or column, or another one is cut over it; `cell` is where it is now. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface UndoConflict {
  readonly message: string;
  readonly revisionId: string;
  /** What others have written since; empty where it is taken back already. */
  readonly conflicts?: readonly string[];
}

export interface RestoreRevisionResponse {
  readonly restored: {
    readonly revision: number;
    /** Of the new commit. */
    readonly revisionId: string;
  };
}

export interface ListedProposal {
  readonly id: string;
  readonly document: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** The audit log’s name of the write. */
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
  /** The revision that the preview was computed on. */
  readonly baseRevision: number;
  /** Ranges that hold something else than in the preview; empty: it can be applied. */
  readonly conflicts: readonly string[];
  readonly summary: {
    /** Cells that the write changes. */
    readonly written: number;
    /** Cells that are recalculated because of it. */
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
  /** `true`: changes are left out because sheets are hidden from the reader. */
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
  /** The audit log’s name of the write. */
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
  /** The revision that the preview was computed on. */
  readonly baseRevision: number;
  /** Ranges that hold something else than in the preview; empty: it can be applied. */
  readonly conflicts: readonly string[];
  readonly summary: {
    /** Cells that the write changes. */
    readonly written: number;
    /** Cells that are recalculated because of it. */
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
  /** `true`: changes are left out because sheets are hidden from the reader. */
  readonly hidden?: boolean;
  /** The first 1,000. */
  readonly changes: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** It is recalculated, not written. */
    readonly derived?: boolean;
    /** The cell itself goes. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated: boolean;
}

export interface GetProposalResponse {
  readonly proposal: Proposal;
}

export type ApplyProposalRequest = {
  /** Why; shown with the decision. */
  readonly reason?: string;
  /** The proposal is only applied to this revision of the document, else 412. */
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
  /** Of a proposal that is not open. */
  readonly state?: string;
  readonly decidedBy?: {
    readonly id: number;
    readonly name: string;
  } | null;
  readonly decidedAt?: string | null;
}

export type RejectProposalRequest = {
  /** Why; shown with the decision. */
  readonly reason?: string;
} | null;

export interface RejectProposalResponse {
  readonly proposal: Proposal;
}

export type WithdrawProposalRequest = {
  /** Why; shown with the decision. */
  readonly reason?: string;
} | null;

export interface WithdrawProposalResponse {
  readonly proposal: Proposal;
}

export type RebaseProposalRequest = {
  /** Why; shown with the decision. */
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
  /** Of the request that did it. */
  readonly requestId: string | null;
  readonly properties: {
    readonly range: string;
    readonly cells: number;
    /** Of entries about a subscription: its number. */
    readonly webhook?: number;
    /** Where it leads; to others than its owners the host alone. */
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
  /** List every document that the caller can open. */
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
  /** Make a document of the caller’s: with one empty sheet, or of a .csv or .xlsx file. */
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
  /** Describe a document. */
  readonly getDocument: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetDocumentResponse;
  };
  /** Give a document another title. */
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
  /** Make a document of the caller’s that holds what this one holds, without its history and shares. */
  readonly copyDocument: {
    readonly query: unknown;
    readonly body: CopyDocumentRequest;
    readonly answer: CopyDocumentResponse;
  };
  /** Give a user a role in a document, change it, or take it away. */
  readonly shareDocument: {
    readonly query: unknown;
    readonly body: ShareDocumentRequest;
    readonly answer: ShareDocumentResponse;
  };
  /** Read a document as a file: all of it as .xlsx, or the values of one sheet as .csv. */
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
  /** Write a block of values from a cell on. */
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
  /** Say who may see and edit a sheet. */
  readonly getProtection: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetProtectionResponse;
  };
  /** Hide a sheet’s values or lock it, in place of its protection before. */
  readonly protectSheet: {
    readonly query: unknown;
    readonly body: ProtectSheetRequest;
    readonly answer: ProtectSheetResponse;
  };
  /** End the protection of a sheet. */
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
  /** Restructure a document: rows, columns, cells, sheets, names and tables, all or none. */
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
  /** Filter, sort, group and page rows as records; for queries too long for an address. */
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
  /** Update records by a key, and append those whose key is not there. */
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
  /** Set fields of the records that a filter holds for. */
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
  /** Delete the records that a filter holds for; what is below moves up. */
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
  /** End a subscription. */
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
  /** Send a notification without cells, marked `test`. */
  readonly testWebhook: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: TestWebhookResponse;
  };
  /** List the deliveries of a subscription, the newest first. */
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
  /** Send a delivery again, whichever subscription it is of. */
  readonly redeliverById: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: RedeliverByIdResponse;
  };
  /** List what happened to a document after a revision. */
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
  /** Follow what happens to a document as server-sent events. */
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
  /** List the revisions that are kept. */
  readonly listRevisions: {
    readonly query: {
      readonly offset?: number;
      readonly limit?: number;
    };
    readonly body: undefined;
    readonly answer: ListRevisionsResponse;
  };
  /** Give a revision a name, which keeps it. */
  readonly nameRevision: {
    readonly query: unknown;
    readonly body: NameRevisionRequest;
    readonly answer: NameRevisionResponse;
  };
  /** Take a revision back as a new commit. */
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
  /** Bring the whole document back to a revision, as a new commit. */
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
  /** List writes that wait for consent, and those that were decided. */
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
  /** Write what a proposal’s preview shows, or nothing. */
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
  /** Take back one’s own proposal. */
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
  /** Show the quota of AI agents; asking does not use it up. */
  readonly getUsage: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetUsageResponse;
  };
}
