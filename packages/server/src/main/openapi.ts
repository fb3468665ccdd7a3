import { writeFile } from 'node:fs/promises';
import { renderOpenApi } from '../compose/openapi.ts';

/** Writes `openapi.json` at the repository's root anew; run it after a change of routes or schemas. */
await writeFile(new URL('../../../../openapi.json', import.meta.url), await renderOpenApi());
