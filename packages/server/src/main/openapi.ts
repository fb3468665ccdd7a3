import { writeFile } from 'node:fs/promises';
import { renderOpenApi } from '../compose/openapi.ts';

/** Regenerates `openapi.json` at the repository's root. Run it after a change of routes or schemas. */
await writeFile(new URL('../../../../openapi.json', import.meta.url), await renderOpenApi());
