const ID = '6f1c2a7e-2f0b-4c1e-9a58-0d5b1f1f7a10';
const AT = '2026-11-20T23:11:24.382Z';
const ADDRESS = `https://sheets.example.com/api/v1/documents/${ID}`;

/** A document in lists. */
export const DOCUMENT_EXAMPLE = {
  id: ID,
  type: 'table',
  title: 'Orders',
  permission: 'owner',
  revisionId: '41',
  createdAt: AT,
  updatedAt: AT,
  dateSystem: '1899-12-30',
  openProposals: 0,
};

/** The same document with the addresses of its content. */
export const FULL_DOCUMENT_EXAMPLE = {
  ...DOCUMENT_EXAMPLE,
  content: { contentUrl: `${ADDRESS}/content`, stylesUrl: `${ADDRESS}/styles` },
};

/** The members before the sheets in an answer with a document's content. */
export const CONTENT_EXAMPLE = {
  documentId: ID,
  revisionId: '41',
  locale: 'en-US',
  dateSystem: 'google',
  timeZone: 'UTC',
};
export const SHEET_EXAMPLE = { name: 'Orders', hidden: false, order: 0, color: null };
