import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Formats rows of texts as a Markdown table. The first column is aligned left, the others right. */
export function formatMarkdownTable(head, rows) {
  const formatLine = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = `|${head.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`;
  return [formatLine(head), rule, ...rows.map(formatLine)].join('\n');
}

/**
 * Writes text between the markers `<!-- begin NAME -->` and `<!-- end NAME -->` of a Markdown file. Creates a missing
 * file from `skeleton`.
 */
export function writeSection(file, name, text, skeleton) {
  const page = existsSync(file) ? readFileSync(file, 'utf8') : skeleton;
  const begin = `<!-- begin ${name} -->`;
  const end = `<!-- end ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${file} has no markers for ${name}`);
  writeFileSync(file, `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`);
}

/** A Markdown page with one pair of markers per section, below the fixed text of the section. */
export function formatPageSkeleton(title, intro, sections) {
  const parts = sections.map(
    ({ name, heading, text = '' }) =>
      `## ${heading}\n\n${text && `${text}\n\n`}<!-- begin ${name} -->\n\n(not measured yet)\n\n<!-- end ${name} -->`,
  );
  return `# ${title}\n\n${intro}\n\n${parts.join('\n\n')}\n`;
}
