import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';
import fc from 'fast-check';
import { type MarkdownNode, parseMarkdown } from './markdown.ts';

function writeTree(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      const { tag, children, ...attributes } = node;
      const written = Object.entries(attributes).map(([name, value]) => ` ${name}=${value}`);
      return `<${tag}${written.join('')}>${writeTree(children)}</${tag}>`;
    })
    .join('');
}

test('Markdown becomes headings, lists, tables and links', () => {
  for (const [markdown, tree] of [
    ['# She is *Ann*', '<h3>She is <em>Ann</em></h3>'],
    ['- one\n- two', '<ul><li>one</li><li>two</li></ul>'],
    [
      '| *a* | b |\n|---|---|\n| 1 | 2 |',
      '<table><thead><tr><th><em>a</em></th><th>b</th></tr></thead><tbody><tr><td label=a>1</td><td label=b>2</td></tr></tbody></table>',
    ],
    ['[here](https://example.org/x)', '<p><a href=https://example.org/x>here</a></p>'],
  ] as const)
    assert.equal(writeTree(parseMarkdown(markdown)), tree);
});

test('HTML stays text, images are not loaded, and script links are dropped', () => {
  const toPlainText = (nodes: readonly MarkdownNode[]): string =>
    nodes.map((node) => (typeof node === 'string' ? node : toPlainText(node.children))).join('');
  const tree = parseMarkdown(
    '<script>alert(1)</script>\n\n![a map](https://example.org/m.png) [x](javascript:alert(1)) <b onclick=x>y</b>',
  );
  assert.match(toPlainText(tree), /<script>alert\(1\)<\/script>/);
  assert.match(toPlainText(tree), /a map \(https:\/\/example\.org\/m\.png\) x <b onclick=x>y<\/b>/);
  assert.ok(!JSON.stringify(tree).includes('"href"'));
});

test('every link has an http, https or mailto address', () => {
  const listHrefs = (nodes: readonly MarkdownNode[]): string[] =>
    nodes.flatMap((node) =>
      typeof node === 'string'
        ? []
        : [...(node.href === undefined ? [] : [node.href]), ...listHrefs(node.children)],
    );
  const parts = fc.constantFrom('\n', ...'[a]( javascript: https://x ) < > ![ ](data:x) ` * x'.split(' '));
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), (pieces) => {
      for (const href of listHrefs(parseMarkdown(pieces.join(''))))
        assert.match(href, /^(https?:\/\/|mailto:)/i);
    }),
  );
});

const toPlainTree = (markdown: string) => [{ tag: 'pre', children: [markdown] }];

test('a text that nests too deeply is shown as it was written, instead of failing', () => {
  for (const marker of ['> ', '1. ', '- ', '>- '])
    for (const times of [20, 1_000, 10_000]) {
      const markdown = `${marker.repeat(times)}a`;
      assert.deepEqual(parseMarkdown(markdown), toPlainTree(markdown), `${times} times ${marker}`);
    }
  assert.notDeepEqual(parseMarkdown(`${'> '.repeat(8)}a`), toPlainTree(`${'> '.repeat(8)}a`));
});

test('a text that would take the lexer minutes is shown as it was written, at once', () => {
  for (const markdown of [
    '_a*_'.repeat(10_000),
    '- a\n***'.repeat(5_000),
    `${'http://'.repeat(2_800)}${')'.repeat(20_000)}`,
    // Twenty-five million cells.
    `${'a|'.repeat(5_000)}\n${'-|'.repeat(5_000)}\n${'|\n'.repeat(5_000)}`,
  ]) {
    const start = process.cpuUsage();
    assert.deepEqual(parseMarkdown(markdown), toPlainTree(markdown));
    assert.ok(process.cpuUsage(start).user < 1e6, markdown.slice(0, 20));
  }
});

test('a long heading of a column is not repeated in full in every row', () => {
  const tree = JSON.stringify(parseMarkdown(`${'long '.repeat(4_000)}|b\n-|-\n${'a|\n'.repeat(1_000)}`));
  assert.ok(tree.length < 500_000, String(tree.length));
});

test('the documents of this project, which are longer than most findings, keep their form', () => {
  for (const file of globSync('{README,AGENTS,CHANGELOG,docs/**/*}.md')) {
    const markdown = readFileSync(file, 'utf8').slice(0, 40_000);
    assert.notDeepEqual(parseMarkdown(markdown), toPlainTree(markdown), file);
  }
});

test('emphasis, links and tables keep their form in a finding of the greatest length', () => {
  const section = [
    '## A *heading* with `code`\n\n',
    'She was seen **twice** in _Lisbon_, see [the register](https://example.org/register?entry=17). '.repeat(
      9,
    ),
    '\n\n- one\n  - *nested*\n- two\n\n> Quoted,\n> on two lines.\n\n',
    `| date | place | source |\n|---|---|---|\n${'| 2026-01-02 | **Porto** | [letter](https://example.org/1) |\n'.repeat(15)}\n`,
  ].join('');
  const markdown = section.repeat(Math.floor(40_000 / section.length));
  assert.ok(markdown.length > 35_000);
  assert.notDeepEqual(parseMarkdown(markdown), toPlainTree(markdown));
});
