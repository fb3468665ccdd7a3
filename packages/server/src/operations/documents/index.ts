import { copyDocument } from './copy-document.ts';
import { createDocument } from './create-document.ts';
import { deleteDocument } from './delete-document.ts';
import { exportDocument } from './export-document.ts';
import { getContent } from './get-content.ts';
import { getDocument } from './get-document.ts';
import { getStyles } from './get-styles.ts';
import { listDocuments } from './list-documents.ts';
import { renameDocument } from './rename-document.ts';
import { shareDocument } from './share-document.ts';

/** Operations in the order of the API's reference. */
export const DOCUMENT_OPERATIONS = [
  listDocuments,
  getDocument,
  getContent,
  getStyles,
  createDocument,
  copyDocument,
  renameDocument,
  deleteDocument,
  shareDocument,
  exportDocument,
];
