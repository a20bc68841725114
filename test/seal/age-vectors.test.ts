/** The published age vectors (C2SP/CCTV): each file opens, or fails where it should, as its authors say. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { inflateSync } from 'node:zlib';
import { armor, Decrypter } from 'age-encryption';
import * as vectors from 'cctv-age';
import { isAgeIdentity, openSealedBytes } from '#seal/core/age.ts';

interface Vector {
  readonly fields: ReadonlyMap<string, string>;
  readonly identities: readonly string[];
  readonly passphrases: readonly string[];
  readonly file: Uint8Array;
}

const all = Object.entries(vectors).map(([name, bytes]) => ({ name, vector: parseVector(bytes) }));
const hybrid = all.filter(({ vector }) => vector.identities.some(isAgeIdentity));

test('the set is whole', () => {
  assert.equal(all.length, 143);
  assert.equal(hybrid.length, 19);
});

for (const { name, vector } of all) {
  test(`the library treats ${name} as published`, async () => await assertVector(vector, openWithLibrary));
}

for (const { name, vector } of hybrid) {
  test(`the sealing layer treats ${name} as published`, async () =>
    await assertVector(vector, openWithSealLayer));
}

async function assertVector(vector: Vector, reader: (vector: Vector) => Promise<Uint8Array>): Promise<void> {
  if (vector.fields.get('expect') !== 'success') {
    await assert.rejects(reader(vector));
    return;
  }
  const plain = await reader(vector);
  assert.equal(createHash('sha256').update(plain).digest('hex'), vector.fields.get('payload'));
}

async function openWithLibrary({ fields, identities, passphrases, file }: Vector): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  for (const passphrase of passphrases) decrypter.addPassphrase(passphrase);
  for (const identity of identities) decrypter.addIdentity(identity);
  return await decrypter.decrypt(decodeFile({ fields, file }));
}

const codes: Record<string, readonly string[]> = {
  'no match': ['wrong_key'],
  'HMAC failure': ['tampered'],
  'header failure': ['tampered'],
  'payload failure': ['tampered', 'truncated'],
};

async function openWithSealLayer({ fields, identities, file }: Vector): Promise<Uint8Array> {
  try {
    return await openSealedBytes(decodeFile({ fields, file }), identities.find(isAgeIdentity)!);
  } catch (error) {
    const { code } = error as { code: string };
    assert.ok(codes[fields.get('expect')!]?.includes(code), `${fields.get('expect')}: ${code}`);
    throw error;
  }
}

function decodeFile({ fields, file }: Pick<Vector, 'fields' | 'file'>): Uint8Array {
  return fields.get('armored') === 'yes' ? armor.decode(new TextDecoder().decode(file)) : file;
}

/** Lines of `key: value`, an empty line, the file. */
function parseVector(bytes: Uint8Array): Vector {
  const vector = Buffer.from(bytes);
  const end = vector.indexOf('\n\n');
  const lines = vector.subarray(0, end).toString().split('\n');
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const listValues = (key: string) => pairs.filter(([name]) => name === key).map(([, value]) => value);
  const fields = new Map(pairs);
  const body = vector.subarray(end + 2);
  return {
    fields,
    identities: listValues('identity'),
    passphrases: listValues('passphrase'),
    file: fields.get('compressed') === 'zlib' ? inflateSync(body) : body,
  };
}
