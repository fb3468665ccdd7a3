/** The last line of a stream: without it something is missing. */
export function endLine(records: number, revision: number): string {
  return `${JSON.stringify({ end: true, records, revisionId: String(revision) })}\n`;
}
