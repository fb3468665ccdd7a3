import type { GuideBlock, GuideSection } from '../src/text/guide-section.ts';

/** Labels of the languages of code blocks. */
const LANGUAGES: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', python: 'Python' };

/**
 * Returns a page of the documentation as sections of the console's guide: what stands before the first heading of the
 * second level is the first section. Links become their texts.
 */
export function parseGuide(text: string, id: string): readonly GuideSection[] {
  const sections: { id: string; title: string; blocks: GuideBlock[] }[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    const [, level = '', title = ''] = /^(#{1,2}) (.*)$/.exec(line) ?? [];
    if (level !== '') {
      sections.push({ id: level === '#' ? id : `${id}-${createSlug(title)}`, title, blocks: [] });
      at++;
      continue;
    }
    const [block, next] = parseBlock(lines, at);
    if (block !== null) sections.at(-1)?.blocks.push(block);
    at = next;
  }
  return sections;
}

function createSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** The block that begins at a line, and the line after it; null: the line is empty. */
function parseBlock(lines: readonly string[], at: number): readonly [GuideBlock | null, number] {
  const line = lines[at] as string;
  if (line === '') return [null, at + 1];
  const isOf = (test: (other: string) => boolean): readonly string[] => {
    const end = lines.findIndex((other, i) => i > at && !test(other));
    return lines.slice(at, end < 0 ? lines.length : end);
  };
  if (line.startsWith('```')) {
    const code = isOf((other) => other !== '```');
    const label = LANGUAGES[line.slice(3)] ?? '';
    return [{ code: code.slice(1).join('\n'), label }, at + code.length + 1];
  }
  if (line.startsWith('    ')) {
    const code = isOf((other) => other.startsWith('    '));
    return [{ code: code.map((one) => one.slice(4)).join('\n') }, at + code.length];
  }
  if (line.startsWith('|')) {
    const table = isOf((other) => other.startsWith('|'));
    // The second line divides the head from the rows.
    return [{ rows: table.slice(2).map(splitCells) }, at + table.length];
  }
  const paragraph = isOf((other) => other !== '' && !/^(?:```|\||#| {4})/.test(other));
  return [{ text: removeMarkup(paragraph.join(' ')) }, at + paragraph.length];
}

function splitCells(row: string): readonly string[] {
  const cells = row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => removeMarkup(cell.trim().replaceAll('\\|', '|')));
  return cells.map((cell, i) => (i === 0 ? cell.replaceAll('`', '') : cell));
}

function removeMarkup(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '');
}
