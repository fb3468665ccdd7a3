/** `Copy of NAME`, or the first `Copy of NAME n` from 2 on that no sheet has, without regard to case. */
export function findFreeCopyName(sheets: readonly { readonly name: string }[], name: string): string {
  const names = new Set(sheets.map((sheet) => sheet.name.toLowerCase()));
  for (let n = 1; ; n++) {
    const copy = n === 1 ? `Copy of ${name}` : `Copy of ${name} ${n}`;
    if (!names.has(copy.toLowerCase())) return copy;
  }
}
