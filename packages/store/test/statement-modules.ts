import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCES = new URL('../src/', import.meta.url);

/** Folders of the store whose modules export statements and queries. */
const FOLDERS = ['accounts', 'audit', 'database', 'documents', 'keys', 'proposals', 'webhooks'];

/** Other modules that export statements and queries. */
const OTHERS = ['transfer/bundle.ts', 'transfer/last-backup.ts'];

/** The modules with statements, by path, such as `documents/commits.ts`. */
export async function loadStatementModules(): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const paths = FOLDERS.flatMap((folder) => listModules(folder)).concat(OTHERS);
  const modules = await Promise.all(
    paths.map(async (path) => [path, await import(new URL(path, SOURCES).href)] as const),
  );
  return new Map(modules);
}

function listModules(folder: string): readonly string[] {
  return readdirSync(fileURLToPath(new URL(folder, SOURCES)))
    .filter((name) => name.endsWith('.ts') && name !== 'index.ts')
    .map((name) => `${folder}/${name}`);
}
