import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFirstTable, readTableParts } from '../src/grid/clipboard-formats/html-table.ts';
import { disableStyles, findNextTag } from '../src/grid/clipboard-formats/html-tags.ts';
import { finishWithoutPause } from '../src/grid/clipboard-formats/sliced-work.ts';

function listNames(html: string): readonly string[] {
  const names: string[] = [];
  for (let tag = findNextTag(html, 0); tag !== null; tag = findNextTag(html, tag.contentEnd))
    names.push(`${tag.isEnd ? '/' : ''}${tag.name}`);
  return names;
}

test('finds tags outside of comments, quoted values and scripts', () => {
  for (const [html, names] of [
    ['<TR><td title="a>b" x=\'<i>\'>1 < 2</td>', ['tr', 'td', '/td']],
    ['<!-- <table> --><tr><![if !x]><td>', ['tr', 'td']],
    ['<style>td > b { content: "<tr>" }</style><b>', ['style', '/style', 'b']],
    ["<td title=5'><i>", ['td', 'i']],
    ['<td a="unfinished', []],
    ['<!-- <tr>', []],
  ] as const)
    assert.deepEqual(listNames(html), names, html);
});

test('renames style attributes, but no text, and removes style elements', () => {
  assert.equal(
    disableStyles(`<style>b{}</style><td title=" style=1" Style = 'x'> style=2</td><p style=a><q class=style>`),
    `</style><td title=" style=1" data-style = 'x'> style=2</td><p data-style=a><q class=style>`,
  );
});

test('splits a table into whole rows, with the tables inside of their cells', () => {
  const row = `<tr><td>${'x'.repeat(15_000)}<table><tr><td>inner</td></tr></table></td></tr>`;
  const html = `<p><table id=a>${row.repeat(4)}</table><table><tr><td>other</td></tr></table>`;
  const table = finishWithoutPause(findFirstTable(html));
  const parts: string[] = [];
  const isWhole = finishWithoutPause(
    readTableParts(html, table?.from ?? 0, (part) => {
      parts.push(part);
      return true;
    }),
  );
  assert.equal(isWhole, true);
  assert.deepEqual(parts, [row.repeat(2), row.repeat(2)]);
});

test('reads each character only a few times, whatever another page writes into the clipboard', () => {
  for (const part of ['<a ', '<a "', '<!--', '<style>', '</style', '<td a=<', '<']) {
    const html = part.repeat(60_000);
    assert.equal(disableStyles(html).length > 0 || part === '<style>', true);
    assert.equal(finishWithoutPause(findFirstTable(html)), null);
  }
});

test('refuses a row that is too long to be parsed without a pause', () => {
  for (const html of [`<td>${'x'.repeat(4_100_000)}`, `<td>${'<b>'.repeat(1_400_000)}`])
    assert.equal(finishWithoutPause(readTableParts(html, 0, () => true)), false);
});
