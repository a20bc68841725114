/** sealing.md agrees with the code: its labels, numbers, fields and places are compared. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { after } from 'node:test';
import { InquiryBody } from '#api/inquiry-body.ts';
import { type ProblemCode, problemKinds } from '#platform/problems.ts';
import { validateFinding } from '#seal/case/finding.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { computeSealedSize } from '#seal/core/age.ts';
import { caseLabels } from '#seal/core/case-key.ts';
import { ENVELOPE_SIZES } from '#seal/core/envelope.ts';
import { CASE_OBJECT_KINDS } from '#seal/core/header.ts';
import { PADDING_SIZE_CLASSES } from '#seal/core/padding.ts';
import { wordsLabels } from '#seal/core/words.ts';
import { validateInquiry } from '#seal/form/inquiry.ts';
import { buildTestApp } from '#test/test-app.ts';

const { get, services } = await buildTestApp({ after });
const { text } = await get('/sealing.md', { headers: { accept: 'text/markdown' } });
const flat = text.replace(/\s+/g, ' ');
const vectors = JSON.parse(readFileSync('src/agents/documents/sealing-vectors.json', 'utf8')) as {
  readonly envelopes: readonly { readonly kind: string; readonly body: object }[];
  readonly refused: readonly { readonly error: string }[];
};

interface FieldRow {
  readonly name: string;
  readonly needed: string;
}

/** The rows of the first or second table of fields below a heading. */
function readFieldRows(heading: string, index = 0): FieldRow[] {
  const [, section = ''] = text.split(`\n### ${heading}\n`);
  const tables = section.split(/\n#{2,3} /)[0]?.split('| field | | value |\n|---|---|---|\n') ?? [];
  const rows = tables[index + 1]?.split('\n\n')[0] ?? '';
  return [...rows.matchAll(/^\| `([\w.]+)` \| (required|optional) \| /gm)].map(
    ([, name = '', needed = '']) => ({ name, needed }),
  );
}

function findVectorBody(kind: string): Readonly<Record<string, unknown>> {
  return { ...vectors.envelopes.find((envelope) => envelope.kind === kind)?.body };
}

function listErrors(checked: object): readonly { readonly pointer: string }[] {
  return 'errors' in checked ? (checked.errors as { pointer: string }[]) : [];
}

test('it has the labels and sizes of the code', () => {
  for (const label of [...Object.values(wordsLabels), ...Object.values(caseLabels)])
    assert.ok(text.includes(`\`${label}\``), label);
  for (const list of [PADDING_SIZE_CLASSES, ENVELOPE_SIZES])
    assert.ok(flat.includes(`${list.slice(0, -1).join(', ')} or ${list.at(-1)} bytes`), String(list));
  const [, fixed, each] = /has (\d+) \+ (\d+) × recipients \+ 16 × chunks bytes more/.exec(flat) ?? [];
  assert.equal(Number(fixed) + 3 * Number(each) + 2 * 16 + 70_000, computeSealedSize(70_000, 3));
});

test('it has the SHA-256 of the word list, as BIP 39 publishes it', () => {
  assert.ok(text.includes('`2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda`'));
});

test('every error of the refused vectors is in its table and in its order of checks', () => {
  const [, checks = ''] = text.split('**To open one**');
  const steps = checks.split('Only then')[0] ?? '';
  for (const error of new Set(vectors.refused.map((refused) => refused.error))) {
    assert.match(text, new RegExp(`^\\| \`${error}\` \\| `, 'm'));
    assert.ok(steps.includes(`\`${error}\``), error);
  }
});

test('what the service may refuse has the code and the status of the problem', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \| /gm)];
  assert.ok(rows.length > 5);
  for (const [, code = '', status] of rows)
    assert.equal(problemKinds[code as ProblemCode].status, Number(status), code);
});

test('it names every kind that a buyer sends or is sent', () => {
  const kinds = CASE_OBJECT_KINDS.filter((kind) => kind !== 'note.v1');
  for (const kind of kinds) assert.match(text, new RegExp(`^\\| \`${kind}\` \\| `, 'm'));
});

test('the fields of each body are those that are read, and the required ones are required', () => {
  const inquiry = findVectorBody('inquiry.v1');
  const checks: readonly (readonly [string, (body: unknown) => object, object])[] = [
    ['`inquiry.v1`', (body) => validateInquiry(body, { includesCall: true }), inquiry],
    ['`buyer-message.v1` and `desk-message.v1`', (body) => validateCaseMessage(body), { text: 'Yes.' }],
    ['`finding.v1`', validateFinding, { markdown: 'Yes.' }],
  ];
  for (const [heading, validate, body] of checks) {
    const rows = readFieldRows(heading).filter(({ name }) => !name.includes('.'));
    const [content = {}] = Object.values(validate(body)) as object[];
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), Object.keys(content).toSorted(), heading);
    for (const { name, needed } of rows) {
      const { [name]: _, ...rest } = { ...body } as Record<string, unknown>;
      const isMissed = listErrors(validate(rest)).some(({ pointer }) => pointer.startsWith(`/${name}`));
      if (heading === '`inquiry.v1`') assert.equal(isMissed, needed === 'required', name);
    }
    assert.equal(listErrors(validate({ ...body, extra: 1 })).length, 1, heading);
  }
});

test('the fields of a file are those that are read', () => {
  const rows = readFieldRows('`inquiry.v1`', 1);
  const file = { name: 'a.txt', mime: 'text/plain', size: 1, kept_as_evidence: false };
  assert.deepEqual(
    rows.map(({ name }) => name),
    Object.keys(file),
  );
  const inquiry = { ...findVectorBody('inquiry.v1'), files: [file] };
  for (const { name, needed } of rows) {
    const { [name as 'name']: _, ...rest } = file;
    const errors = listErrors(validateInquiry({ ...inquiry, files: [rest] }, { includesCall: true }));
    assert.equal(errors.length > 0, needed === 'required', name);
  }
});

test('the request in it has the fields of the API', () => {
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
  const { sealed, ...rest } = JSON.parse(example) as { sealed: object };
  const { properties } = InquiryBody;
  for (const name of Object.keys(rest)) assert.ok(Object.hasOwn(properties, name), name);
  for (const name of Object.keys(sealed)) assert.ok(Object.hasOwn(properties.sealed.properties, name), name);
});

test('the vectors are served as they are stored, and all agents are told of both', async () => {
  assert.deepEqual((await get('/sealing-vectors.json')).json, vectors);
  const { site } = services.addresses;
  for (const path of ['/llms.txt', '/auth.md', '/openapi.json', '/.well-known/api-catalog'])
    assert.ok((await get(path)).text.includes(`${site}/sealing.md`), path);
  assert.ok(text.includes(`${site}/sealing-vectors.json`));
});
