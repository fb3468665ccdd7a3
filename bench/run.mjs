// npm run bench -- engine [--only a,b] [--runs N] [--ours] [--growth] [--write]
// npm run bench -- by-row [--only rank,large] [--runs N] [--seed N] [--ours] [--write]
// npm run bench -- floors [--write]
// npm run bench -- shapes [--only TEXT] [--scale N]
// npm run bench -- windows [--documents N] [--rate N] [--seconds N]
// npm run bench -- profile [--only a,b]
// npm run bench -- http   [--only page,put] [--runs N] [--write]
// npm run bench -- notify [--seconds N] [--write]
// npm run bench -- mcp [--only NAME]
// npm run bench -- followers [--followers N] [--seconds N] [--write]
// npm run bench -- growth [--scale 0.01,0.1,1] [--write]
// npm run bench -- memory [--minutes 120] [--rate 40] [--write]
// npm run bench -- queries [--only range,sort] [--rows N] [--rounds N] [--questions N] [--seed N] [--write]
// See README.md in this folder.
import { installPeers } from './lib/install.mjs';

const SUITES = {
  'by-row': './engine/by-row.mjs',
  engine: './engine/run.mjs',
  floors: './engine/floors.mjs',
  followers: './notify/followers.mjs',
  growth: './growth/run.mjs',
  http: './http/run.mjs',
  mcp: './mcp/run.mjs',
  memory: './memory/run.mjs',
  notify: './notify/run.mjs',
  profile: './engine/profile.mjs',
  queries: './records/queries.mjs',
  shapes: './engine/growth-of-shapes.mjs',
  windows: './notify/windows.mjs',
};

/** Suites that need no other engines and no load generator. */
const WITHOUT_PEERS = new Set(['growth', 'memory']);

const [name, ...options] = process.argv.slice(2);
const suite = SUITES[name];
if (suite === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(SUITES).join('|')} [options]`);
  process.exit(2);
}
if (!WITHOUT_PEERS.has(name)) installPeers();
const { run } = await import(suite);
await run(options);
