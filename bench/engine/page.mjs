import { fileURLToPath } from 'node:url';
import { formatPageSkeleton } from '../lib/table.mjs';

const FILE = fileURLToPath(new URL('../../docs/engine.md', import.meta.url));

const INTRO = `This page shows the engine's conformance, speed and memory. Commands generate it: conformance and differences by
\`npm run conformance -- DIR --write\`, speed by \`npm run bench -- engine --write\`, plain loops by
\`npm run bench -- floors --write\`, growth by \`npm run bench -- engine --growth --write\`. [bench/README.md](../bench/README.md)
says how the figures are measured.`;

const DIFFERENCES = `The failed checks by class, with the reason. The classes are defined in
[bench/conformance/known.mjs](../bench/conformance/known.mjs). If Excel and LibreOffice differ, our results are Excel's.`;

/** The page of the figures. Commands write the text between its markers. */
export const ENGINE_PAGE = {
  file: FILE,
  skeleton: formatPageSkeleton('The engine, measured', INTRO, [
    { name: 'conformance', heading: 'Conformance' },
    { name: 'differences', heading: 'Known differences', text: DIFFERENCES },
    { name: 'speed', heading: 'Speed and memory' },
    { name: 'floors', heading: 'Lower bounds of missed targets' },
    { name: 'growth', heading: 'How cost grows' },
  ]),
};
