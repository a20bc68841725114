/** How markup is written as Markdown, and which parts are omitted. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Html, html } from '../html.ts';
import { writeMarkdown } from './markdown-writer.ts';

const PAGE = new URL('https://office.example/page');
const write = (markup: Html) => writeMarkdown(markup.toString(), PAGE);

test('headings, paragraphs, marks and code are written as Markdown', () => {
  const markup = html`<section><h2 id="x">A <b>bold</b> title</h2><p>One <span>two</span>
   <code>three</code><br>four</p></section>`;
  assert.equal(write(markup), '## A **bold** title\n\nOne two `three`<br>four\n');
});

test('a link leads to a whole address; one within the page to its place there, unless it stands alone', () => {
  const markup = html`<p><a href="/terms#a">Terms</a>, <a href="mailto:a@example.org">mail</a>, <a href="#b">below</a></p>
<p><a href="#top">Up</a></p><div><a class="button" href="#b">Down</a></div>`;
  assert.equal(
    write(markup),
    '[Terms](https://office.example/terms#a), [mail](mailto:a@example.org), [below](https://office.example/page#b)\n',
  );
});

test('lists nest, and keep their paragraphs', () => {
  const markup = html`<ul><li>one<ul><li>a</li><li>b</li></ul></li><li><p>two</p><p>more</p></li></ul>`;
  assert.equal(write(markup), '- one\n\n  - a\n  - b\n\n- two\n\n  more\n');
});

test('items with a heading are sections that begin with it', () => {
  const markup = html`<ul><li><p>First</p><h3>Pay</h3><p>Then</p></li></ul>`;
  assert.equal(write(markup), '### Pay\n\nFirst\n\nThen\n');
});

test('terms and what they mean share a line, and what follows is theirs', () => {
  const markup = html`<dl><div><dt>200</dt><dd>Good.<pre tabindex="0" data-language="json"><code>{"a": 1}</code></pre></dd></div><div><dt>400</dt><dd>Bad.</dd></div></dl>`;
  assert.equal(write(markup), '- **200**: Good.\n\n  ```json\n  {"a": 1}\n  ```\n\n- **400**: Bad.\n');
});

test('a table is one of GFM, in which a bar is no border', () => {
  const markup = html`<table><thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead><tbody><tr><th scope="row">x | y</th><td data-label="B">z</td></tr></tbody></table>`;
  assert.equal(write(markup), '| A | B |\n|---|---|\n| x \\| y | z |\n');
});

test('of a form its labels, choices and buttons are written, and nothing that is typed into', () => {
  const markup = html`<form><fieldset><legend>Which?</legend><div class="picks"><label class="pick"><input type="radio" value="a"><span>This</span><span class="hint">short</span></label><label class="pick"><input type="radio" value="b"><span>That</span></label></div></fieldset>
<div><label for="t">Text <span class="optional">(optional)</span></label><textarea id="t">
typed</textarea></div><button type="submit">Send</button></form>`;
  assert.equal(write(markup), '**Which?**\n\n- This short\n- That\n\n**Text (optional)**\n\n**Send**\n');
});

test('what only a browser uses is left out', () => {
  const markup = html`<nav><a href="/">Home</a></nav><template><p>later</p></template><p hidden>no</p><p data-when="server">nor this</p><script>run()</script><p>stays</p>`;
  assert.equal(write(markup), 'stays\n');
});

test('text that looks like Markdown or HTML stays text', () => {
  for (const [text, written] of [
    ['*a* [b](c) `d` \\', '\\*a\\* \\[b\\](c) \\`d\\` \\\\'],
    ['<script>alert(1)</script> 1 < 2', '\\<script>alert(1)\\</script> 1 < 2'],
    ['_a_ snake_case', '\\_a\\_ snake_case'],
    ['# no heading', '\\# no heading'],
    ['- no item', '\\- no item'],
    ['1. no item', '1\\. no item'],
    ['> no quote', '\\> no quote'],
    ['"Q" & \'A\'', '"Q" & \'A\''],
  ] as const)
    assert.equal(write(html`<p>${text}</p>`), `${written}\n`);
});

test('markup that is not whole is refused rather than lost in part', () => {
  for (const broken of ['<p>a', '<p>a</div>', 'a</p>', '<p a=b>c</p>', '<p>&unknown;</p>', '<P>a</P>'])
    assert.throws(() => writeMarkdown(broken, PAGE), TypeError, broken);
});
