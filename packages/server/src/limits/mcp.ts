/** Characters of a result's text, and of its structured content as JSON. */
export const MAX_RESULT_CHARACTERS = 25_000;
/** Rows of one answer that reads cells or records, and cells of one that reads cells. */
export const MAX_TOOL_ROWS = 200;
export const MAX_TOOL_CELLS = 4_000;
/** Entries of a list: documents, matches, revisions, proposals. */
export const MAX_TOOL_ENTRIES = 50;
/** Records of one call. */
export const MAX_TOOL_RECORDS = 500;
/** Changed cells that an answer shows. */
export const MAX_TOOL_CHANGES = 50;
/** Rows that describe what a sheet holds. */
export const SAMPLE_ROWS = 3;
/** Columns of a sheet that are described. */
export const MAX_DESCRIBED_COLUMNS = 60;
/** Values that a completion suggests. */
export const MAX_COMPLETIONS = 100;
/** Characters of a cell's text in a sample. */
export const MAX_SAMPLE_CHARACTERS = 60;
/** Attempts of a write whose cells others change in between. */
export const MAX_PREVIEW_ATTEMPTS = 3;
/** Bytes of a request to the endpoint for agents. */
export const MAX_MCP_BODY_BYTES = 4 * 1024 * 1024;
/** Cells that a search looks at. */
export const MAX_SEARCHED_CELLS = 5_000_000;
