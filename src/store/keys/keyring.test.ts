import assert from 'node:assert/strict';
import test from 'node:test';
import { createKeyring, generateMasterKey } from './keyring.ts';

test('a tag depends on the value, the purpose and the master key', () => {
  const keyring = createKeyring(generateMasterKey());
  const tag = keyring.tag('order session', 'cs_1');
  assert.equal(keyring.tag('order session', 'cs_1'), tag);
  assert.notEqual(keyring.tag('order session', 'cs_2'), tag);
  assert.notEqual(keyring.tag('order owner', 'cs_1'), tag);
  assert.notEqual(createKeyring(generateMasterKey()).tag('order session', 'cs_1'), tag);
});

test('tags of clients, which are kept, are the same after as many others as are kept', () => {
  const keyring = createKeyring(generateMasterKey());
  const tags = () => [keyring.tag('order owner', 'client'), keyring.tag('case owner', 'client')];
  const before = tags();
  assert.notEqual(before[0], before[1]);
  for (let other = 0; other < 2_001; other += 1) keyring.tag('order owner', `client ${other}`);
  assert.deepEqual(tags(), before);
});

test('the same master key derives the same keys after a restart', () => {
  const masterKey = generateMasterKey();
  const ciphertext = createKeyring(masterKey).seal('order session', 'cs_1', 'order 1');
  assert.equal(createKeyring(masterKey).open('order session', ciphertext, 'order 1'), 'cs_1');
});

test('key derivation never changes: this tag was computed by the first version', () => {
  const keyring = createKeyring(Buffer.alloc(32).toString('base64'));
  assert.equal(keyring.tag('keyring check', 'master key'), 'ck7iGbjC-wovuJIQZN3p5kFog-M0iaV0cfcpEuICvQQ');
});

test('a ciphertext opens only with its key, purpose and context, and not if any byte was changed', () => {
  const keyring = createKeyring(generateMasterKey());
  const ciphertext = keyring.seal('order session', 'cs_1', 'order 1');
  assert.ok(!Buffer.from(ciphertext).includes('cs_1'));
  assert.notDeepEqual(keyring.seal('order session', 'cs_1', 'order 1'), ciphertext);
  assert.throws(() => keyring.open('order owner', ciphertext, 'order 1'));
  assert.throws(() => keyring.open('order session', ciphertext, 'order 2'));
  assert.throws(() => createKeyring(generateMasterKey()).open('order session', ciphertext, 'order 1'));
  assert.throws(() => keyring.open('order session', ciphertext.subarray(0, 10), 'order 1'));
  for (let index = 0; index < ciphertext.length; index += 1) {
    const changed = Uint8Array.from(ciphertext);
    changed[index]! ^= 1;
    assert.throws(() => keyring.open('order session', changed, 'order 1'), `byte ${index}`);
  }
});
