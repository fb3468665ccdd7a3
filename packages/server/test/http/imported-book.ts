import type { CellData, LayoutData, WorkbookData } from '@cellwire/engine';
import { createDocument } from '../../src/service/operator/new-document.ts';
import type { Api, World } from './support.ts';

interface ImportedContent {
  readonly cells: Iterable<CellData>;
  readonly settings?: Partial<WorkbookData['settings']>;
  readonly columnFormats?: ReadonlyMap<number, string>;
  readonly layout?: LayoutData;
}

/** A document as after an import: date system, number formats and merged ranges come from the file. */
export async function importBook(
  world: World,
  { cells, settings, columnFormats, layout }: ImportedContent,
): Promise<Api> {
  const owner = await world.createUser();
  const sheet = { name: 'Data', hidden: false, color: null, hiddenRows: [], columnFormats: columnFormats ?? new Map() };
  const data: WorkbookData = {
    settings: { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC', ...settings },
    names: [],
    tables: [],
    sheets: [{ ...sheet, cells, ...(layout === undefined ? {} : { layout }) }],
  };
  const created = await createDocument(world.server.service.context, {
    owner: owner.id,
    title: 'Imported',
    content: { kind: 'data', data },
  });
  if (!('id' in created)) throw new Error(JSON.stringify(created));
  return world.apiFor(await world.createToken(owner.id), created.id);
}
