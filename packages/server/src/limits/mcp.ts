/** Maximum characters of a result's text, and of its structured content as JSON. */
export const MAX_RESULT_CHARACTERS = 25_000;
/** Maximum rows in a result with cells or records, and maximum cells in a result with cells. */
export const MAX_TOOL_ROWS = 200;
export const MAX_TOOL_CELLS = 4_000;
/** Maximum entries of a list: documents, matches, revisions or proposals. */
export const MAX_TOOL_ENTRIES = 50;
/** Records of one call. */
export const MAX_TOOL_RECORDS = 500;
/** Maximum changed cells in a result. */
export const MAX_TOOL_CHANGES = 50;
/** Maximum characters of a list of changes. */
export const MAX_CHANGES_CHARACTERS = 15_000;
/** Sample rows in the description of a sheet. */
export const SAMPLE_ROWS = 3;
/** Maximum columns in the description of a sheet. */
export const MAX_DESCRIBED_COLUMNS = 60;
/** Maximum suggestions of a completion. */
export const MAX_COMPLETIONS = 100;
/** Characters of a cell's text in a sample. */
export const MAX_SAMPLE_CHARACTERS = 60;
/** Maximum attempts of a write whose cells other users change between preview and write. */
export const MAX_PREVIEW_ATTEMPTS = 40;
/** Bytes of a request to the endpoint for agents. */
export const MAX_MCP_BODY_BYTES = 4 * 1024 * 1024;
/** JSON-RPC messages of a request to the endpoint for agents. */
export const MAX_MCP_MESSAGES = 100;
/** Requests of a user each second that only prepare an agent's calls: handshakes, lists, prompts and completions. */
export const HANDSHAKES_PER_SECOND = 100;
/** Maximum cells that a search examines. */
export const MAX_SEARCHED_CELLS = 5_000_000;
/** Milliseconds between two notifications of the progress of a call. */
export const PROGRESS_INTERVAL_MS = 1_000;
