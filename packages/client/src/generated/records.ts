// Generated from openapi.json by `npm run client:types`.

export interface GetRecordsResponse {
  readonly records: readonly {
    /** Row of the sheet; absent for groups. */
    readonly row?: number;
    readonly fields: Readonly<Record<string, string | number | boolean | null | Readonly<Record<string, unknown>>>>;
  }[];
  readonly columns: readonly {
    readonly name: string;
    /** Letter of the column; null: the column is a measure. */
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
  /** Conditions by column name; all must hold: a value, a list of values, or operators such as `{ "gte": 100 }`. */
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
    /** Letter of the column; null: the column is a measure. */
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
    /** Index of the record in the request or stream. */
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
    /** Index of the record in the request or stream. */
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
  /** Conditions by column name; all must hold: a value, a list of values, or operators such as `{ "gte": 100 }`. */
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
    /** Index of the record in the request or stream. */
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
  /** Conditions by column name; all must hold: a value, a list of values, or operators such as `{ "gte": 100 }`. */
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
    /** Index of the record in the request or stream. */
    readonly record?: number;
    readonly column?: string;
    /** For a warning about a cell, which has no `record` and `column`. */
    readonly cell?: string;
    readonly message: string;
  }[];
  /** There are more than 100 warnings. */
  readonly warningsTruncated?: boolean;
}

/** Query, body and answer of each operation. */
export interface RecordsOperations {
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
  /** Append records below the records of a range. */
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
  /** Update records by a key, and append records with new keys. */
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
}
