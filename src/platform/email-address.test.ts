import assert from 'node:assert/strict';
import test from 'node:test';
import { normalizeEmailAddress } from './email-address.ts';

test('one address written in several ways is one address', () => {
  for (const text of ['Someone@Example.com', ' someone@example.com ', 'someone@EXAMPLE.COM'])
    assert.equal(normalizeEmailAddress(text), 'someone@example.com');
});

test('a domain in other letters is written as mail servers know it', () => {
  assert.equal(normalizeEmailAddress('someone@bücher.example'), 'someone@xn--bcher-kva.example');
});

test('usual addresses of all sorts are taken', () => {
  for (const text of ['a@b', 'first.last+tag@sub.example.co', "o'neil@example.com", 'jörg@example.com'])
    assert.notEqual(normalizeEmailAddress(text), null, text);
});

test('nothing that could be more than one address, or carry a header, is taken', () => {
  for (const text of [
    '',
    '@',
    'a@',
    '@b',
    'a b@c',
    'a@b c',
    'a@b,c@d',
    'a,b@c',
    '"a"@b',
    '<a@b>',
    'a(b)@c',
    'a@b\r\nBcc: c@d',
    `a@${'b'.repeat(64)}`,
    `a@${'b.'.repeat(130)}c`,
  ])
    assert.equal(normalizeEmailAddress(text), null, text);
});
