import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type HoleValue, type Html, html, renderLinkedData } from './html.ts';

const evil = `</p><script>alert("1" + '2')</script>&amp;`;
const escaped = '&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;)&lt;/script&gt;&amp;amp;';

const toMarkup = (markup: Html) => markup.toString();

test('text is escaped, whatever comes before the hole', () => {
  assert.equal(toMarkup(html`<p>${evil}</p>`), `<p>${escaped}</p>`);
  assert.equal(toMarkup(html`<p>Hello!${evil}</p>`), `<p>Hello!${escaped}</p>`);
  assert.equal(toMarkup(html`<title>${evil}</title>`), `<title>${escaped}</title>`);
  assert.equal(toMarkup(html`<textarea>${evil}</textarea>`), `<textarea>${escaped}</textarea>`);
  assert.equal(toMarkup(html`${evil}`), escaped);
});

test('templates and lists can be nested, and only markup made by html is trusted', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
  assert.equal(toMarkup(html`<ul>${items}</ul>`), '<ul><li>a</li><li>&lt;b&gt;</li></ul>');
  assert.equal(toMarkup(html`${[['<', [1]], html`<i>${2}</i>`]}`), '&lt;1<i>2</i>');
  const impostor = { toString: () => '<script>' } as unknown as Html;
  assert.throws(() => html`<p>${impostor}</p>`, TypeError);
  assert.throws(() => html`<p>${new Date() as unknown as string}</p>`, TypeError);
  assert.throws(() => html`<p>${true}</p>`, TypeError);
});

test('nothing is written for null, undefined and false, and zero is a number', () => {
  assert.equal(toMarkup(html`<p>${null}${undefined}${false}${0}</p>`), '<p>0</p>');
});

test('a newline in a template is a newline', () => {
  assert.equal(toMarkup(html`<p>\n${'x'}</p>`), '<p>\nx</p>');
});

test('an attribute value is escaped, and an attribute without a value is left out', () => {
  assert.equal(toMarkup(html`<p title="${evil}">x</p>`), `<p title="${escaped}">x</p>`);
  assert.equal(toMarkup(html`<p class="a ${evil} ${1}">x</p>`), `<p class="a ${escaped} 1">x</p>`);
  assert.equal(
    toMarkup(html`<p id="${null}" title="${'t'}" lang="${undefined}">x</p>`),
    '<p title="t">x</p>',
  );
  assert.equal(toMarkup(html`<p id="${''}">x</p>`), '<p id="">x</p>');
  assert.equal(toMarkup(html`<p class="a ${null}">x</p>`), '<p class="a ">x</p>');
  assert.equal(toMarkup(html`<input value="${'v'}">`), '<input value="v">');
});

test('markup in an attribute is refused', () => {
  assert.throws(() => html`<p title="${html`<b>x</b>`}">x</p>`, TypeError);
  assert.throws(() => html`<p title="${['a', 'b']}">x</p>`, TypeError);
  assert.throws(() => html`<title>${html`<b>x</b>`}</title>`, TypeError);
});

test('a boolean attribute is written only if its value is true', () => {
  const renderBox = (on: boolean) => toMarkup(html`<input name="a" ?checked="${on}" ?disabled="${!on}">`);
  assert.equal(renderBox(true), '<input name="a" checked>');
  assert.equal(renderBox(false), '<input name="a" disabled>');
  assert.throws(() => html`<input ?checked="${'yes'}">`, TypeError);
  assert.throws(() => html`<input ?checked="a${true}">`, TypeError);
  assert.throws(() => html`<input ?onclick="${true}">`, TypeError);
});

test('web, mail and relative URLs are accepted', () => {
  for (const address of [
    '/a?b=c#d',
    'a/b:c',
    '#top',
    'https://example.org/',
    'MAILTO:a@b.example',
    '?q=a:b',
    '',
  ])
    assert.ok(toMarkup(html`<a href="${address}">x</a>`).includes('href="'));
  assert.equal(toMarkup(html`<a href="/case/${'a:b"'}">x</a>`), '<a href="/case/a:b&quot;">x</a>');
  assert.equal(toMarkup(html`<a href="mailto:${'a@b.example'}">x</a>`), '<a href="mailto:a@b.example">x</a>');
  assert.equal(toMarkup(html`<a href="${'/a'}#${'b'}">x</a>`), '<a href="/a#b">x</a>');
});

test('a URL that runs a script or contains a document is refused, however it is written', () => {
  const addresses = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'java\nscript:alert(1)',
    'java\tscript\t:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'blob:https://example.org/x',
    'file:///etc/passwd',
    'java&Tab;script:alert(1)',
  ];
  for (const address of addresses) {
    assert.throws(() => html`<a href="${address}">x</a>`, TypeError, address);
    assert.throws(() => html`<a href=" ${address}">x</a>`, TypeError, address);
    assert.throws(() => html`<form action="${address}"></form>`, TypeError, address);
    assert.throws(() => html`<button formaction="${address}">x</button>`, TypeError, address);
    assert.throws(() => html`<svg><a xlink:href="${address}"></a></svg>`, TypeError, address);
    assert.throws(() => html`<a href="${address}/more">x</a>`, TypeError, address);
  }
});

test('a URL whose scheme is assembled from several pieces is refused', () => {
  assert.throws(() => html`<a href="${'java'}${'script:alert(1)'}">x</a>`, TypeError);
  assert.throws(() => html`<a href="${'java'}script:alert(1)">x</a>`, TypeError);
  assert.throws(() => html`<a href="java${'script:alert(1)'}">x</a>`, TypeError);
  assert.throws(() => html`<a href="javascript:${'alert(1)'}">x</a>`, TypeError);
  assert.throws(() => html`<a href="data:text/html,${'x'}">x</a>`, TypeError);
});

test('a hole in a context that cannot be made safe is refused at first use, even with harmless text', () => {
  const x = 'x';
  const refused: (() => Html)[] = [
    () => html`<a href=${x}>y</a>`,
    () => html`<a title=${x}>y</a>`,
    () => html`<a title='${x}'>y</a>`,
    () => html`<a title='y'>${x}</a>`,
    () => html`<a title=y>${x}</a>`,
    () => html`<a title = "${x}">y</a>`,
    () => html`<a ${x}>y</a>`,
    () => html`<a ${x}="y">y</a>`,
    () => html`<a data-${x}="y">y</a>`,
    () => html`<a title="y"${x}>y</a>`,
    () => html`<${x}>y</p>`,
    () => html`<p${x}>y</p>`,
    () => html`<p>y</${x}>`,
    () => html`</p title="${x}">`,
    () => html`<script>${x}</script>`,
    () => html`<SCRIPT>let a = "<p>${x}</p>"</SCRIPT>`,
    () => html`<script>"</scripted>${x}"</script>`,
    () => html`<style>${x}</style>`,
    () => html`<iframe>${x}</iframe>`,
    () => html`<!-- ${x} -->`,
    () => html`<!-- > ${x} -->`,
    () => html`<!doctype ${x}>`,
    () => html`<!x ${x}>`,
    () => html`<?x ${x}>`,
    () => html`<p onclick="${x}">y</p>`,
    () => html`<p OnClick="f('${x}')">y</p>`,
    () => html`<p style="${x}">y</p>`,
    () => html`<iframe srcdoc="${x}"></iframe>`,
    () => html`<img alt="" srcset="${x}">`,
    () => html`<a href="/" ping="${x}">y</a>`,
    () => html`<base href="${x}">`,
    () => html`<meta http-equiv="refresh" content="${x}">`,
    () => html`<meta content="${x}" http-equiv="refresh">`,
    () => html`<meta http-equiv="${x}" content="1">`,
    () => html`<svg><a><animate attributeName="href" to="${x}"/></a></svg>`,
    () => html`<svg><set to="${x}"/></svg>`,
    () => html`<p title="${x}`,
    () => html`<p>${x}</p><p title="open`,
    () => html`<script>${''}`,
    () => html`<!-- open`,
  ];
  for (const template of refused) assert.throws(template, TypeError, String(template));
});

test('static scripts, comments and attributes without a value are written unchanged', () => {
  assert.equal(
    toMarkup(
      html`<!DOCTYPE html><!-- > " --><script src="${'/a.js'}"></script><input required><p>${'x'}</p>`,
    ),
    '<!DOCTYPE html><!-- > " --><script src="/a.js"></script><input required><p>x</p>',
  );
  assert.equal(
    toMarkup(html`<meta name="description" content="${'a'}">`),
    '<meta name="description" content="a">',
  );
});

test('no text can break out of its context', () => {
  const renderSample = (a: HoleValue, b: HoleValue) =>
    toMarkup(html`<p title="${a}" class="k ${b}">${a}<b>${b}</b></p>`);
  const shape = renderSample('', '').replace(/[^<>"=]/g, '');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (a, b) => {
      const marks = renderSample(a, b).replace(/[^<>"]/g, '');
      assert.equal(marks, shape.replaceAll('=', ''));
    }),
  );
});

test('whatever a value of linked data contains, its element ends where it should and the value is the same again', () => {
  const value = '</script><script>alert(1)</script><!-- & \u0002 "';
  const block = renderLinkedData({ value }).toString();
  assert.equal(block.match(/<|>/g)?.length, 4);
  const [, json = ''] = /^<script type="application\/ld\+json">(.*)<\/script>$/.exec(block) ?? [];
  assert.deepEqual(JSON.parse(json), { value });
});
