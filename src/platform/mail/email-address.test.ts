import assert from 'node:assert/strict';
import test from 'node:test';
import { normalizeEmailAddress } from './email-address.ts';

test('spellings of one address have the same normal form', () => {
  for (const text of ['Someone@Example.com', ' someone@example.com ', 'someone@EXAMPLE.COM'])
    assert.equal(normalizeEmailAddress(text), 'someone@example.com');
});

test('an internationalized domain is converted to ASCII', () => {
  assert.equal(normalizeEmailAddress('someone@bücher.example'), 'someone@xn--bcher-kva.example');
});

test('common forms of addresses are accepted', () => {
  for (const text of ['a@b', 'first.last+tag@sub.example.co', "o'neil@example.com", 'jörg@example.com'])
    assert.notEqual(normalizeEmailAddress(text), null, text);
});

test('the length of an address is counted in octets (RFC 5321 §4.5.3.1)', () => {
  const long = (domainLength: number) => `${'ア'.repeat(64)}@${'b'.repeat(domainLength)}`;
  assert.equal(normalizeEmailAddress(long(61)), long(61));
  assert.equal(normalizeEmailAddress(long(62)), null);
});

test('a text that could be several addresses or carry a header is refused', () => {
  for (const text of [
    '',
    '@',
    'a@',
    '@b',
    'a b@c',
    'a@b c',
    'a@b,c@d',
    'a,b@c',
    'a@b@c',
    'a@b;c@d',
    `${'a'.repeat(65)}@b`,
    '"a"@b',
    '<a@b>',
    'a(b)@c',
    'a@b\r\nBcc: c@d',
    'a@exa\nmple.org',
    'a@exa\tmple.org',
    `a@${'b'.repeat(64)}`,
    `a@${'b.'.repeat(130)}c`,
  ])
    assert.equal(normalizeEmailAddress(text), null, text);
});
