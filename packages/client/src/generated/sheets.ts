// Generated from openapi.json by `npm run client:types`.

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

/** Query, body and answer of each operation. */
export interface SheetsOperations {
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
}
