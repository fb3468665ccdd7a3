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
  /** Formulas that cannot be calculated and keep the values of the file; `cells` has the first of them. */
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

/** Query, body and answer of each operation. */
export interface DocumentsOperations {
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
  /** Give a user a role in a document, change the role, or end the access. */
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
}
