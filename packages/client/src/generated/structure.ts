// Generated from openapi.json by `npm run client:types`.

export interface ListNamesResponse {
  readonly names: readonly {
    readonly name: string;
    readonly refersTo: string;
  }[];
}

export interface ListTablesResponse {
  readonly tables: readonly {
    readonly name: string;
    /** Range of the table, with its header row. */
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

/** Query, body and answer of each operation. */
export interface StructureOperations {
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
}
