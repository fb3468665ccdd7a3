import { fileURLToPath } from 'node:url';
import { skeletonOf } from '../lib/table.mjs';

const FILE = fileURLToPath(new URL('../../docs/engine.md', import.meta.url));

/** The page that the figures go into; the text between its markers is written by command. */
export const ENGINE_PAGE = {
  file: FILE,
  skeleton: skeletonOf(
    'The engine, measured',
    [
      'Everything below is written by command and not by hand: conformance and differences by',
      '`npm run conformance -- DIR --write`, the others by `npm run bench -- engine --write` and',
      '`npm run bench -- engine --growth --write`. How it is measured: [bench/README.md](../bench/README.md).',
    ].join('\n'),
    [
      { name: 'conformance', heading: 'Conformance' },
      { name: 'differences', heading: 'Known differences' },
      { name: 'speed', heading: 'Speed and memory' },
      { name: 'floors', heading: 'Where targets cannot be reached' },
      { name: 'growth', heading: 'How cost grows' },
    ],
  ),
};
