// Generated from openapi.json by `npm run client:types`.

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

/** Query, body and answer of each operation. */
export interface ValuesOperations {
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
}
