/** The last line of a stream; a stream without it is incomplete. */
export function formatEndLine(records: number, revision: number): string {
  return `${JSON.stringify({ end: true, records, revisionId: String(revision) })}\n`;
}
