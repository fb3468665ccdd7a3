// npm run bench -- queries [--rows 1000000] [--rounds 5] [--questions 10] [--only range,sort] [--seed 1] [--write]
//
// Asks the service, SQLite and DuckDB different questions about the same records, hardly any of them twice. The engines
// take turns: in each round each of them answers a block of the same questions. Every first answer of a kind is
// compared. The figures are medians of the rounds, in processor time of all threads per question (of the service
// including HTTP), in brackets by the clock.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Installation } from '../http/service.mjs';
import { describeMachine, formatMachines, readPackageVersion } from '../lib/machine.mjs';
import { computeMedian, formatDuration } from '../lib/stats.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';
import { COLUMNS, generateRows, OrderGenerator } from './orders.mjs';
import { DuckDbPeer, SqlitePeer } from './peers.mjs';
import { KINDS } from './query-kinds.mjs';
import { measureUpserts, UPSERT } from './upserts.mjs';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const RANGE = 'A:H';
const LINES_PER_PIECE = 1_000;
/** Digits in which figures of the engines must agree. They add in different orders. */
const DIGITS = 9;

export async function run(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '5' },
      questions: { type: 'string', default: '10' },
      only: { type: 'string' },
      seed: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
    },
  });
  const [rows, rounds, questions, seed] = ['rows', 'rounds', 'questions', 'seed'].map((name) => Number(options[name]));
  const isChosen = ({ id }) => options.only === undefined || options.only.split(',').includes(id);
  const lines = [];
  const add = (kind, samples) => {
    lines.push(formatResultRow(kind, samples));
    console.error(lines.at(-1).join(' | '));
  };
  const parent = mkdtempSync(join(tmpdir(), 'cellwire-queries-'));
  const installation = await new Installation(parent).setUp();
  const service = await installation.start();
  try {
    const kinds = KINDS.filter(isChosen);
    if (kinds.length > 0) {
      const engines = await createEngines(service, installation, { rows, seed });
      for (const kind of kinds) add(kind, await measureKind(kind, engines, { rows, rounds, questions, seed }));
      for (const engine of engines) engine.close();
    }
    if (isChosen(UPSERT)) add(UPSERT, await measureUpserts(service, installation, { rounds, seed, parent }));
  } finally {
    await service.stop();
    rmSync(parent, { recursive: true, force: true });
  }
  const table = formatMarkdownTable(HEAD, lines);
  console.log(table);
  if (!options.write) return;
  const versions = ['better-sqlite3', '@duckdb/node-api']
    .map((name) => `${name} ${readPackageVersion(name)}`)
    .join(', ');
  const note = `${rows.toLocaleString('en-US')} records, ${rounds} rounds of ${questions} questions; ${versions}.`;
  writeSection(PAGE, 'queries', `${table}\n\n${note}\n\n${formatMachines([describeMachine()])}`, '');
}

const HEAD = ['question', 'Cellwire', 'SQLite', 'DuckDB', 'of SQLite', 'target', 'of DuckDB', 'target'];

/** Formats the medians of a kind of question, with ratios and targets, as a row of the table. */
function formatResultRow({ name, goal = {} }, samples) {
  const computeMedianFigure = (engine, measure) => computeMedian(samples.map((sample) => sample[engine][measure]));
  const has = (engine) => samples[0][engine] !== undefined;
  const formatEngineFigure = (engine) =>
    has(engine)
      ? `${formatDuration(computeMedianFigure(engine, 'cpu'))} (${formatDuration(computeMedianFigure(engine, 'clock'))})`
      : '';
  const formatRatio = (engine) =>
    has(engine) ? (computeMedianFigure('cellwire', 'cpu') / computeMedianFigure(engine, 'cpu')).toPrecision(2) : '';
  const formatTarget = (engine) => (goal[engine] === undefined ? '' : `≤ ${goal[engine]}`);
  return [
    name,
    formatEngineFigure('cellwire'),
    formatEngineFigure('sqlite'),
    formatEngineFigure('duckdb'),
    formatRatio('sqlite'),
    formatTarget('sqlite'),
    formatRatio('duckdb'),
    formatTarget('duckdb'),
  ];
}

/** Creates the service's document and the peers with the same rows. */
async function createEngines(service, installation, { rows, seed }) {
  const { id } = await installation.document('Orders');
  const { headers } = installation;
  const base = `${service.address}/api/v1/documents/${id}`;
  await sendRequest(`${base}/values/A1`, 'PUT', headers, { values: [COLUMNS] });
  const response = await fetch(`${base}/records/append?range=${RANGE}&batch=10000`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: encodeNdjson(generateRows(seed, rows)),
    duplex: 'half',
  });
  const end = JSON.parse((await response.text()).trim().split('\n').at(-1));
  if (end.records !== rows) throw new Error(`not all records were uploaded: ${JSON.stringify(end)}`);
  const peers = [new SqlitePeer(generateRows(seed, rows)), await DuckDbPeer.create(generateRows(seed, rows))];
  return [new ServiceEngine(service, base, headers), ...peers.filter((peer) => peer !== null)];
}

/** Records as lines of JSON. */
export async function* encodeNdjson(rows) {
  let text = '';
  let count = 0;
  for (const row of rows) {
    text += `${JSON.stringify(Object.fromEntries(COLUMNS.map((name, i) => [name, row[i]])))}\n`;
    if (++count % LINES_PER_PIECE !== 0) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** Sends a request and returns the answer's text; rejects unless it succeeds. */
async function sendRequest(url, method, headers, body) {
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text;
}

class ServiceEngine {
  name = 'cellwire';

  constructor(service, base, headers) {
    this.service = service;
    this.base = base;
    this.headers = headers;
  }

  async usedMs() {
    return this.service.readThreadsMs();
  }

  /** Sends a question to the service. Returns the answer's text. */
  ask({ body }) {
    return sendRequest(`${this.base}/records/query`, 'POST', this.headers, { range: RANGE, ...body });
  }

  /** Writes one cell. */
  async edit({ cell, value }) {
    await sendRequest(`${this.base}/values/${cell}`, 'PUT', this.headers, { values: [[value]] });
  }

  /** Returns the rows of an answer, in the form of the peers. */
  rowsOf(text) {
    return JSON.parse(text).records.map(({ row, fields }) => [
      ...(row === undefined ? [] : [row - 2]),
      ...Object.values(fields),
    ]);
  }

  close() {}
}

/**
 * Measures a kind of question. Returns, for each round, the processor time and elapsed time of each engine per
 * question, in milliseconds.
 */
async function measureKind(kind, engines, { rows, rounds, questions, seed }) {
  const orders = new OrderGenerator(seed + 1);
  const samples = [];
  // The first round warms up and compares the answers.
  for (let round = 0; round <= rounds; round++) {
    const asked = Array.from({ length: questions }, () => kind.ask(orders, rows));
    const sample = {};
    const answers = [];
    for (const engine of rotateList(engines, round)) {
      const { result, ...times } = await measureQuery(engine, asked);
      sample[engine.name] = times;
      answers.push(result);
    }
    if (round > 0) samples.push(sample);
    else for (const answer of answers) assertSameRows(kind, answers[0], answer);
  }
  return samples;
}

/** Moves the first `count` elements of a list to its end. */
function rotateList(list, count) {
  return [...list.slice(count % list.length), ...list.slice(0, count % list.length)];
}

/** Asks an engine all questions. Returns its first answer, and processor time and elapsed times in milliseconds. */
async function measureQuery(engine, asked) {
  let cpu = 0;
  const clocks = [];
  let first = null;
  for (const block of asked[0].before === undefined ? [asked] : asked.map((question) => [question])) {
    const [{ before }] = block;
    if (before !== undefined) await engine.edit(before);
    const used = await engine.usedMs();
    for (const question of block) {
      const start = performance.now();
      const answer = await engine.ask(question);
      clocks.push(performance.now() - start);
      first ??= engine.rowsOf(answer);
    }
    cpu += (await engine.usedMs()) - used;
  }
  return { cpu: cpu / asked.length, clock: computeMedian(clocks), result: first };
}

/** Throws if two engines returned different rows. Groups have no defined order unless the question sorts them. */
function assertSameRows({ id }, ours, theirs) {
  const formatRows = (rows) => {
    const texts = rows.map((row) => JSON.stringify(row.map((value) => shortenValue(value))));
    return (id === 'group-two' ? texts.sort() : texts).join('\n');
  };
  if (formatRows(ours) !== formatRows(theirs))
    throw new Error(
      `${id}: the engines answer differently\n${formatRows(ours).slice(0, 300)}\n${formatRows(theirs).slice(0, 300)}`,
    );
}

/** Rounds a number to the digits that are compared. */
function shortenValue(value) {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
}
