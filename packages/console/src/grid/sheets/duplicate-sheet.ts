import { API, callApi, formatQuery, type Result } from '../../data/http.ts';
import type { DocumentChange } from '../../data/types.ts';
import type { GridController } from '../controller/grid-controller.ts';
import type { SheetOperation } from '../session/structure-operations.ts';
import { readRevision } from '../session/write-queue.ts';

/** Copies a sheet. The value is the name of the copy; undefined if it could not be read. */
export async function duplicateSheet(controller: GridController, sheet: string): Promise<Result<string | undefined>> {
  const { session, editBase } = controller;
  const answer = await session.changeStructure([{ duplicateSheet: { sheet } }], editBase);
  if (!answer.ok) return answer;
  const revision = readRevision(answer);
  return { ...answer, value: revision === null ? undefined : await readCopyName(session.id, revision) };
}

/** Reads the name of the copy from the log, because the service chooses it and its answer does not say it. */
async function readCopyName(document: string, revision: number): Promise<string | undefined> {
  const path = `${API}/documents/${document}/changes${formatQuery({ since: revision - 1, limit: 1 })}`;
  const answer = await callApi<{ readonly changes: { readonly entries: readonly DocumentChange[] } }>('GET', path);
  if (!answer.ok) return undefined;
  const operations: readonly SheetOperation[] = answer.value.changes.entries.flatMap(({ structure }) => structure);
  return operations.find(({ duplicateSheet }) => duplicateSheet !== undefined)?.duplicateSheet?.name;
}
