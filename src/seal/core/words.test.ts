import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import fc from 'fast-check';
import { computeLookupHash, deriveWordKeys, generateWords, parseWords } from './words.ts';

const FIRST = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const SECOND = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

const anyWords = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((entropy) => entropyToMnemonic(entropy, wordlist));

test('generated words are twelve, can be parsed, and differ each time', () => {
  const generated = Array.from({ length: 200 }, generateWords);
  assert.equal(new Set(generated).size, generated.length);
  for (const words of generated) {
    assert.equal(words.split(' ').length, 12);
    assert.equal(parseWords(words), words);
  }
});

test('the derived keys never change: these come from the first version', async () => {
  const first = await deriveWordKeys(FIRST);
  assert.equal(
    first.identity,
    'AGE-SECRET-KEY-PQ-1CMY058MXRP05DWE7D6MJE0D0QD3X47QGXKXXCYVJUJEZGGTJSYSQEJTZ22',
  );
  assert.ok(
    first.recipient.startsWith('age1pq1497xz96je8ksn273c8ravxpf7d2gltzmsu4e88mewu2qse2qncye22zm5mhd'),
  );
  assert.ok(first.recipient.endsWith('jan4jr7p3xmrkh74uc0ucp606g0nvxp98356mu0y8ac8wzunsxj4a'));
  assert.equal(first.lookupToken, 'zjaGOjucI5RS-sZg_PJ0Tikf7ed8gDgMJ2x82XKtJew');
  assert.equal(first.lookupHash, 'N2lz42uVmCiPLoHzaFE7fMD_tei-YudZgDldSnNB_jU');
  const second = await deriveWordKeys(SECOND);
  assert.equal(
    second.identity,
    'AGE-SECRET-KEY-PQ-1URRWT69T7C3NRNXS5KFS6CHK9JS85YC08W7W4PSASWUWSLT7XUKSSMLLXQ',
  );
  assert.equal(second.lookupHash, 'Zs_Ntt96xiCQiVf7jEjWbHUsrCJw1f8wl5PaVuhW1fM');
});

test('the hash of the lookup token is the lookup hash', async () => {
  const { lookupToken, lookupHash } = await deriveWordKeys(generateWords());
  assert.equal(computeLookupHash(lookupToken), lookupHash);
  for (const token of [
    '',
    lookupToken.slice(1),
    `${lookupToken}A`,
    `${lookupToken}=`,
    '💥',
    lookupHash.slice(0, 42),
  ])
    assert.throws(() => computeLookupHash(token), { code: 'token_malformed' });
});

test('words are parsed however they were copied', () => {
  const copyWords = (separator: string, change = (word: string, _index: number) => word) =>
    SECOND.split(' ').map(change).join(separator);
  const copies = [
    `  ${copyWords('  ')}\n`,
    copyWords('\n'),
    copyWords('\r\n\t'),
    copyWords(', '),
    copyWords(' - '),
    copyWords('\u00a0'),
    copyWords(' ', (word) => word.toUpperCase()),
    copyWords(' ', (word) => `${word}\u200b`),
    copyWords(' ', (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`),
    copyWords('\n', (word, index) => `${index + 1}. ${word}`),
    copyWords(' ', (word, index) => `${index + 1}) ${word}`),
    copyWords('\n', (word, index) => `${index + 1}${word}`),
    copyWords(' ', (word) =>
      Array.from(word, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0)).join(''),
    ),
  ];
  for (const text of copies) assert.equal(parseWords(text), SECOND);
});

test('an unknown word is reported by its position only', () => {
  assert.throws(() => parseWords(SECOND.replace('thank year', 'thank yeer')), {
    code: 'words_unknown',
    message: /^Check word 4: it isn’t one of our words\./,
  });
  assert.throws(() => parseWords('légal winner’s'), {
    code: 'words_unknown',
    message: /^Check word 1, word 2: they aren’t any of our words\. [^“]+$/,
  });
});

test('too few or too many words are reported with their number', () => {
  assert.throws(() => parseWords(''), { code: 'words_count', message: /Enter the twelve words/ });
  assert.throws(() => parseWords('1. legal'), { code: 'words_count', message: /1 word;/ });
  assert.throws(() => parseWords(`${SECOND} ${SECOND}`), {
    code: 'words_count',
    message: /more than twelve/,
  });
});

test('known words with a wrong checksum have their own error', () => {
  assert.throws(() => parseWords(SECOND.replace('yellow', 'year')), { code: 'words_checksum' });
  assert.throws(() => parseWords(FIRST.replace('about', 'abandon')), { code: 'words_checksum' });
});

test('different words give different keys and another case', async () => {
  await fc.assert(
    fc.asyncProperty(anyWords, anyWords, async (one, other) => {
      fc.pre(one !== other);
      const [a, b] = await Promise.all([deriveWordKeys(one), deriveWordKeys(other)]);
      assert.notEqual(a.identity, b.identity);
      assert.notEqual(a.lookupToken, b.lookupToken);
      assert.deepEqual(await deriveWordKeys(one.toUpperCase()), a);
    }),
    { numRuns: 10 },
  );
});

test('a text that is much longer than twelve words is refused, before and after it is normalized', () => {
  const words = generateWords();
  assert.equal(parseWords(`${words}${' '.repeat(3_000)}`), words);
  assert.equal(parseWords(words.normalize('NFD').split('').join('\u200b')), words);
  for (const text of [' '.repeat(4_001), 'ﷺ'.repeat(30), 'a'.repeat(401), '\u0315\u0300'.repeat(50_000)])
    assert.throws(() => parseWords(words + text), { code: 'words_count', message: /more than twelve/ });
});

test('an error shows nothing of what was typed, however it is printed, its cause included', () => {
  for (const text of ['qzqzqz', SECOND.replace('yellow', 'year')])
    assert.throws(
      () => parseWords(text),
      (error: Error) => !/qzqz|winner/.test(inspect(error, { showHidden: true }) + JSON.stringify(error)),
    );
});
