import type { Words } from './words.ts';

const ID = '6f1c2a7e-2f0b-4c1e-9a58-0d5b1f1f7a10';
const AT = '2026-11-20T23:11:24.382Z';
const DOCUMENT = {
  id: ID,
  type: 'table',
  title: 'Orders',
  permission: 'owner',
  revisionId: '41',
  createdAt: AT,
  updatedAt: AT,
};
const ADDRESS = `https://sheets.example.com/api/v1/documents/${ID}`;
const ONE = { ...DOCUMENT, content: { contentUrl: `${ADDRESS}/content`, stylesUrl: `${ADDRESS}/styles` } };
const PROTECTION = { sheet: 'Salaries', hideValues: true, lock: true, allow: [7] };
const SHEET = { name: 'Archive', hidden: false, order: 4, color: null };

/** Documents and sheets as wholes. */
export const DOCUMENT_WORDS: Words = {
  listDocuments: {
    description:
      'Every document that the caller’s user may open, the last changed first; of a token that is limited to documents those alone. `permission=edit` finds what can be written.',
    answer: { documents: [DOCUMENT] },
  },
  createDocument: {
    description:
      'A JSON body (or none) makes an empty document. A file as the body, with its content type, makes one of what it holds; the answer then says what columns of a `.csv` were taken for, what is left out, and which formulas keep the file’s values. What is wrong with the file is named by `errors.file`. Needs the scope `documents.write`, a plan with writing, and a token that is not limited to documents.',
    request: { title: 'Orders', locale: 'en-US' },
    answer: { document: ONE },
  },
  getDocument: {
    description: 'The document with the addresses of its cells and number formats. Its ETag changes with every commit.',
    answer: { document: ONE },
  },
  renameDocument: {
    description: 'Gives a document another title. No cell changes, so there is no revision of it. Needs the role edit.',
    request: { title: 'Orders 2026' },
    answer: { document: { ...ONE, title: 'Orders 2026' } },
  },
  deleteDocument: {
    description:
      'Ends a document with its history, shares and subscriptions; its audit log is kept for its time. For its owner alone. The answer shows it as it was.',
    answer: { deleted: DOCUMENT },
  },
  copyDocument: {
    description:
      'The copy holds the cells, formats, names and tables of this moment, without history, shares and subscriptions. Its formulas are the caller’s, its sheets protected as they were. 403 for who may not see all sheets.',
    request: { title: 'Orders, a copy' },
    answer: { document: { ...ONE, title: 'Orders, a copy' } },
  },
  shareDocument: {
    description: 'Holds from the next request on, in every process. For the owner alone.',
    request: { user: 'ben@example.com', role: 'edit' },
    answer: { shared: { user: 7, role: 'edit' } },
  },
  exportDocument: {
    description:
      'Raw values, dates as ISO texts, in a `.csv` file; formulas, styles and what an imported file brought along in an `.xlsx` file. 403 for who may not see all sheets. The file is made before its first byte is sent: its length is known. `Cellwire-Export-Notes` counts what the file does not hold as it is; `report=true` lists it.',
    answer: {
      report: {
        leftOut: [{ kind: 'protections', count: 1, what: 'protection of a sheet' }],
        renamed: [{ from: 'Q1/2027', to: 'Q1_2027' }],
        shortened: [{ cell: 'Notes!A2', length: 40_000 }],
      },
    },
    texts: { 'text/csv': 'Number,Sum\r\nA-1013,860\r\n' },
  },
  getContent: {
    description:
      'Filled cells by sheet, sparse, at one revision, however many: `contentUrl` of a document leads here. Sheets whose values are hidden from the caller are left out.',
    answer: {
      documentId: ID,
      revisionId: '41',
      locale: 'en-US',
      dateSystem: 'google',
      timeZone: 'UTC',
      sheets: [{ name: 'Orders', hidden: false, order: 0, color: null, cells: { A1: { v: 'Number', m: 'Number' } } }],
    },
  },
  getStyles: {
    description: 'Number formats by range; `stylesUrl` of a document leads here. A whole column’s holds for its cells.',
    answer: {
      documentId: ID,
      revisionId: '41',
      locale: 'en-US',
      dateSystem: 'google',
      timeZone: 'UTC',
      sheets: [{ name: 'Orders', hidden: false, order: 0, color: null, formats: { 'B:B': 'dd.mm.yyyy' } }],
    },
  },
  listNames: {
    description: 'What formulas call by a name; one that is of a sheet alone has that sheet in front.',
    answer: { names: [{ name: 'Rate', refersTo: '=1,5' }] },
  },
  listTables: {
    description: 'Structured references and records may name them. Columns of hidden sheets are left out.',
    answer: { tables: [{ name: 'Orders', range: 'Orders!A1:H40', columns: ['Number', 'Status'] }] },
  },
  getProtection: {
    description:
      'For everybody who may open the document; others than the owner see of `allow` whether they are in it.',
    answer: { protection: PROTECTION },
  },
  protectSheet: {
    description:
      'Replaces the protection that the sheet had. Formulas that read what their writers may not see any more are calculated anew at once. For the owner alone.',
    request: { hideValues: true, lock: true, allow: ['ben@example.com'] },
    answer: { protection: PROTECTION },
  },
  unprotectSheet: {
    description: 'Everybody with access sees the sheet again, and may edit it where their role lets them.',
    answer: { protection: { sheet: 'Salaries', hideValues: false, lock: false, allow: [] } },
  },
  listSheets: { description: 'In their order, hidden ones too.', answer: { sheets: [SHEET] } },
  addSheet: {
    description: 'Without a name the document’s locale gives one: `Sheet2`, `Лист2`.',
    request: { name: 'Archive' },
    answer: { sheet: SHEET },
  },
  renameSheet: {
    description:
      'Rewrites the formulas that name it. `hidden` is a matter of user interfaces: reading and writing stay.',
    request: { name: 'Price list' },
    answer: { sheet: { ...SHEET, name: 'Price list' } },
  },
  deleteSheet: {
    description: 'References to it become `#REF!`. The last visible sheet stays.',
    answer: { deleted: SHEET },
  },
  changeStructure: {
    description:
      'A list of operations, each seeing what the one before left, all or none in one revision. Rows count from 1, columns are letters; references follow. `?dryRun=true` tells what would change.',
    request: { operations: [{ insertRows: { sheet: 'Orders', before: 3, count: 2 } }] },
    answer: { structure: { revisionId: '42', operations: [{ cells: 0 }] } },
  },
};
