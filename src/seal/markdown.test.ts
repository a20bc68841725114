import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type MarkdownNode, parseMarkdown } from './markdown.ts';

test('Markdown becomes headings, lists, tables and links', () => {
  const tree = parseMarkdown(
    '# She is *Ann*\n\n- one\n- two\n\n| *a* | b |\n|---|---|\n| 1 | 2 |\n\n[here](https://example.org/x)',
  );
  assert.deepEqual(tree, [
    { tag: 'h3', children: ['She is ', { tag: 'em', children: ['Ann'] }] },
    {
      tag: 'ul',
      children: [
        { tag: 'li', children: ['one'] },
        { tag: 'li', children: ['two'] },
      ],
    },
    {
      tag: 'table',
      children: [
        {
          tag: 'thead',
          children: [
            {
              tag: 'tr',
              children: [
                { tag: 'th', children: [{ tag: 'em', children: ['a'] }] },
                { tag: 'th', children: ['b'] },
              ],
            },
          ],
        },
        {
          tag: 'tbody',
          children: [
            {
              tag: 'tr',
              children: [
                { tag: 'td', label: 'a', children: ['1'] },
                { tag: 'td', label: 'b', children: ['2'] },
              ],
            },
          ],
        },
      ],
    },
    { tag: 'p', children: [{ tag: 'a', href: 'https://example.org/x', children: ['here'] }] },
  ]);
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
  const parts = fc.constantFrom(
    '[a](',
    'javascript:',
    'https://x',
    ')',
    '<',
    '>',
    '![',
    '](data:x)',
    '\n',
    '`',
    '*',
    'x',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 20 }), (pieces) => {
      for (const href of listHrefs(parseMarkdown(pieces.join(''))))
        assert.match(href, /^(https?:\/\/|mailto:)/i);
    }),
  );
});
