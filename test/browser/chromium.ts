import { existsSync } from 'node:fs';

/** The headless shell comes first, because it uses half of the processor time of the others. */
const CHROMIUM_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Path of an installed Chromium; null if there is none. The variable `CHROMIUM` names another one. */
export const CHROMIUM = process.env['CHROMIUM'] ?? CHROMIUM_PATHS.find((path) => existsSync(path)) ?? null;
