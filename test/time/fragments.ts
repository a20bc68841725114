/** Pieces of text that, repeated thousands of times, reveal a parser that reads its input too often. */
import { isLongRun, scale } from '#test/scale.ts';

/** Characters that separate, quote, open and close in headers, JSON, forms and addresses. */
const signs = [
  ...`" "" "", "," ' '', , ,, ; ;; ;, = == =; =, a a, a; a= a=b a=b; a=b, a="b" ;a="b," ;a=" a="b ;q= ;q=0.5 ;q=0,
  a/b a/b, a/b;x=" */* */*, / // /../ . .. : :: ::1, 1.2.3.4, 1 { [ {"a": [[ [{ [] {} [], "a":1, {"a":1}, 1, 1e null,
  % %zz %41 %25 %F0%9F%98%80 & && &a &a= &a=b + ? # @ a@ a@b.c a. - _ ~ ! | < > ( ) (( ^ W/"a", bytes=0-1, t=1, v1=a,
  t=1,v1= a.b.c eyJ ey. for=a, for="[::1]", gzip, gzip;q=0, https, a:b no-cache, a=; a/*, q=1;`.split(/\s+/),
  '\\"',
  ', ,',
  ', ',
  '; ',
  '"\\u0061"',
  '"\\',
  ' ',
  '  ',
  '\t',
  '$',
  '`',
  '\\',
];

/** Emphasis, links, quotes, lists, tables and code of Markdown, and what breaks them. */
const markdown = [
  ...`_a*_ *a_* **a __a * *** ~~ ~~a ]( [a]( ![a]( [a] [a][ [a](b) <a <!-- &amp |a |- http:// http://a. www. a_ _a *a a*
  *a_ _a__ **a* _a_ *a* a*b_c a~b <a> **a** [[ ![`.split(/\s+/),
  '`a``',
  '<a ',
  '<a href="',
  '> ',
  '- ',
  '1. ',
  '+ ',
  '> > ',
  '>- ',
  '- - ',
  '1. 1. ',
];

/** Only in bodies: whole lines, and characters beyond ASCII. */
const lines = [
  '\n',
  '\n\n',
  '\r\n',
  '  \n',
  '- a\n',
  '  - a\n',
  '-\n',
  '*\n',
  '- a\n\n',
  '- a\n  - ',
  '- a\n***',
  '-\n-',
  '>a\n',
  '>\n>',
  '# a\n',
  '    a\n',
  '```\n',
  '~~~\n',
  '1) a\n',
  '---\n',
  '===\n',
  'a\n===\n',
  'a\n---\n',
  '[a]: b\n',
  '|a|\n',
  'a|b\n-|-\n',
  '|-|-|\n*\n',
  '>- a|b\n-|-\n',
  '  - a\n|-',
  '- a\n<a ',
  '<div>\n',
  '  \n\u00a0',
  '\0',
  '\u00a0',
  '\u2028',
  'é',
  '😀',
  '\ud800',
  '--a\r\n',
  '--a\r\n\r\n',
  '--a--\r\n',
  'a: b\r\n',
  'Content-Disposition: form-data; name="',
  '--a\r\nContent-Type: ',
];

/** Characters that become several when text is normalized or changes case, and marks that are reordered. */
const expanding = [
  ...'ﷺ ﷻ ㌀ ㋿ ﬃ ⩴ ½ İ ß ᾂ 각'.split(' '),
  ...'\u0344 \ufb2c \u{1d160} \u1100\u1161\u11a8 e\u0301 \u0315\u0300 a\u0345\u0315\u0300\u0316'.split(' '),
];

/** These once took seconds, so they are in the short run too. */
const costly: readonly string[] = [
  '"",',
  ';a="b,"',
  '&a',
  '!',
  '_a*_',
  '> ',
  '1. ',
  'ﷺ',
  '\u1100\u1161\u11a8',
  '\u0315\u0300',
];

const all: readonly string[] = [...new Set([...signs, ...markdown, ...lines, ...expanding])];
export const fragments = all.filter((text, at) => at % scale.fragmentStep === 0 || costly.includes(text));

/** RFC 9110 §5.5: what may be in the value of a header. */
export const headerFragments = fragments.filter((text) => /^[\t\x20-\x7e]*$/.test(text));

const TURNS = 4;
let turn = 0;

/** Returns all in the long run; in the short one each call returns the next quarter, so each is tried somewhere. */
export function takeTurn(texts: readonly string[]): readonly string[] {
  if (isLongRun) return texts;
  turn += 1;
  return texts.filter((_text, at) => at % TURNS === turn % TURNS);
}

/** Repeats the fragment as often as needed, and cuts the text to the length. */
export function repeatToLength(fragment: string, length: number): string {
  return fragment.repeat(Math.ceil(length / fragment.length)).slice(0, length);
}
