/** The published age vectors (C2SP/CCTV) for our kind of keys: each opens, or fails where it should, as its authors say. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { inflateSync } from 'node:zlib';
import { armor } from 'age-encryption';
import * as vectors from 'cctv-age';
import { isAgeIdentity, openSealedBytes } from '#seal/core/age.ts';

interface Vector {
  readonly fields: ReadonlyMap<string, string>;
  readonly identities: readonly string[];
  readonly file: Uint8Array;
}

const hybrid = Object.entries(vectors)
  .map(([name, bytes]) => [name, parseVector(bytes)] as const)
  .filter(([, { identities }]) => identities.some(isAgeIdentity));

test('the set is whole', () => {
  assert.equal(hybrid.length, 19);
});

for (const [name, vector] of hybrid)
  test(`the sealing layer treats ${name} as published`, async () => {
    if (vector.fields.get('expect') !== 'success')
      return await assert.rejects(openVector(vector), { name: 'SealError' });
    const plain = await openVector(vector);
    assert.equal(createHash('sha256').update(plain).digest('hex'), vector.fields.get('payload'));
  });

const codes: Record<string, readonly string[]> = {
  'no match': ['wrong_key'],
  'HMAC failure': ['tampered'],
  // One of the vectors has its fault in a part for another kind of key, which is not read.
  'header failure': ['tampered', 'wrong_key'],
  'payload failure': ['tampered', 'truncated'],
};

async function openVector({ fields, identities, file }: Vector): Promise<Uint8Array> {
  try {
    return await openSealedBytes(
      fields.get('armored') === 'yes' ? armor.decode(new TextDecoder().decode(file)) : file,
      identities.find(isAgeIdentity)!,
    );
  } catch (error) {
    const { code } = error as { code: string };
    assert.ok(codes[fields.get('expect')!]?.includes(code), `${fields.get('expect')}: ${code}`);
    throw error;
  }
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
    file: fields.get('compressed') === 'zlib' ? inflateSync(body) : body,
  };
}
