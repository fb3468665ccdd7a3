import { fileURLToPath } from 'node:url';
import { skeletonOf } from '../lib/table.mjs';

const FILE = fileURLToPath(new URL('../../docs/engine.md', import.meta.url));

const INTRO = `The figures and the sentences about them are written by command and not by hand: conformance and differences by
\`npm run conformance -- DIR --write\`, speed by \`npm run bench -- engine --write\`, plain loops by
\`npm run bench -- floors --write\`, growth by \`npm run bench -- engine --growth --write\`. How it is measured:
[bench/README.md](../bench/README.md).`;

const DIFFERENCES = `Where counted checks fail, by class and with the reason; the classes are kept in
[bench/conformance/known.mjs](../bench/conformance/known.mjs). Where Excel and LibreOffice differ, results are Excel's.`;

/** The page that the figures go into; the text between its markers is written by command. */
export const ENGINE_PAGE = {
  file: FILE,
  skeleton: skeletonOf('The engine, measured', INTRO, [
    { name: 'conformance', heading: 'Conformance' },
    { name: 'differences', heading: 'Known differences', text: DIFFERENCES },
    { name: 'speed', heading: 'Speed and memory' },
    { name: 'floors', heading: 'What missed targets are up against' },
    { name: 'growth', heading: 'How cost grows' },
  ]),
};
