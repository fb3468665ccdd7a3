import { type NameView, nameViews, type Snapshot } from '@cellwire/engine';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { type TableView, toTableView } from '../document/names.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { type DocumentContext, findDocument } from './new-document.ts';

export async function listNames(context: DocumentContext, document: string): Promise<readonly NameView[] | Refusal> {
  const snapshot = await openNewestState(context, document);
  return isRefusal(snapshot) ? snapshot : nameViews(snapshot);
}

export async function listTables(context: DocumentContext, document: string): Promise<readonly TableView[] | Refusal> {
  const snapshot = await openNewestState(context, document);
  if (isRefusal(snapshot)) return snapshot;
  return snapshot.tables.map((table) => toTableView(snapshot, table));
}

async function openNewestState(context: DocumentContext, document: string): Promise<Snapshot | Refusal> {
  const row = await findDocument(context, document);
  if (isRefusal(row)) return row;
  const open = await context.documents.open(row.id);
  return (await open?.readSnapshot()) ?? DOCUMENT_NOT_FOUND;
}
