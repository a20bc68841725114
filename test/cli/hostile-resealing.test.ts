/** An office that lies during re-sealing: the lie is reported, the run ends, and the office learns nothing new. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { computeRecipientSetTag } from '#cases/sealing/sealing-keys.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { generateId } from '#platform/text/ids.ts';
import { sealRefund } from '#seal/case/refund.ts';
import { countRecipients } from '#seal/core/age.ts';
import { openCaseKey } from '#seal/core/case-key.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import { assertNothingTold } from '#test/desk/hostile-script.ts';
import {
  type ReceivedRequest,
  type ScriptedAnswer,
  startScriptedOffice,
} from '#test/desk/scripted-office.ts';
import { generateRecipient, sealFixture } from '#test/desk/sealed-fixture.ts';
import { writeAskedSet } from './asking-owner.ts';
import { runCli } from './desk-cli.ts';

const NEXT = generateId();

type Answer = (request: ReceivedRequest) => ScriptedAnswer | null;

test('an office that lists without end, twice, foreign keys or too much is left, in plain words', {
  timeout: 300_000,
}, async (t) => {
  const office = await startScriptedOffice(t);
  const { fixture, key, people } = office;
  const folder = dirname(key.path);
  const files = { key: join(folder, 'ada.key'), ca: join(folder, 'ca.pem') };
  await writeFile(files.key, `${key.identity}\n`, { mode: 0o600 });
  await writeFile(files.ca, office.ca);
  const recovery = await generateRecipient();
  const desk = people.map(({ recipient }) => recipient);
  const set = computeRecipientSetTag({ desk, recovery });
  const asked = await writeAskedSet(
    folder,
    people.map(({ name, role, recipient }) => ({ name: name ?? '', role, recipient })),
    recovery,
  );
  const members = [
    ...people.map(({ name, role, holder: hash }) => ({ name, role, hash })),
    { name: null, role: 'recovery', hash: computeInvestigatorId(recovery) },
  ];
  const configured = { set, members };
  const sets = { adopted: { ...configured, set: 'f'.repeat(43) }, configured, left: 1 };
  const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  const own = {
    id: fixture.facts.id,
    lookup_hash: fixture.facts.lookup_hash,
    case_key: toText(fixture.caseKey),
    notes: [],
  };
  const refund = { payment_ref: 'IO-1', tier: 'Trace', declined_on: '2026-11-18' };
  const owed = { id: NEXT, sealed: toText(await sealRefund(refund, desk.slice(0, 1))), restored: false };
  const answerAll =
    (lie: Answer): Answer =>
    (request) => {
      const { method, path } = request;
      const lied = lie(request);
      if (lied) return lied;
      if (method === 'POST' && path === '/sealing-set') return { json: { ...sets, adopted: configured } };
      if (method === 'GET' && path.startsWith('/sealing-set')) return { json: sets };
      if (method === 'GET' && path.startsWith('/resealing/refunds'))
        return { json: { refunds: [owed], next: null } };
      if (method === 'GET' && path.startsWith('/resealing'))
        return {
          json: { cases: path.includes('after') ? [] : [own], next: path.includes('after') ? null : NEXT },
        };
      if (method === 'PUT') return { json: { changed: [] } };
      return path === '/resealing/end' ? { json: { ...sets, left: 0 } } : null;
    };
  const run = async (lie: Answer) => {
    office.received.length = 0;
    office.script = answerAll(lie);
    const args = ['--key', files.key, '--office', office.origin, '--ca', files.ca, ...asked, '--yes'];
    return await runCli({}, ['keys', 'reseal', ...args]);
  };
  const toPage =
    (json: (path: string) => unknown): Answer =>
    ({ method, path }) =>
      method === 'GET' && path.startsWith('/resealing?') ? { json: json(path) } : null;
  const withNote =
    (answer: ScriptedAnswer): Answer =>
    ({ method, path }) => {
      if (path.includes('/objects/note.v1/')) return answer;
      if (method !== 'GET' || !path.startsWith('/resealing?') || path.includes('after')) return null;
      return { json: { cases: [{ ...own, notes: [{ seq: 0, size: 400 }] }], next: NEXT } };
    };
  const stranger = await sealFixture(desk);
  const createCases = () => Array.from({ length: 20 }, () => ({ ...own, id: generateId() }));

  const honest = await run(() => null);
  assert.equal(honest.code, 0, honest.stderr);
  const sent = JSON.parse(
    office.received.find(({ method, path }) => method === 'PUT' && path === '/resealing')!.body,
  ) as {
    cases: { case_key: string }[];
  };
  const resealed = Buffer.from(sent.cases[0]!.case_key, 'base64url');
  assert.equal((await openCaseKey(resealed, key.identity, own.lookup_hash)).recipient, fixture.key.recipient);
  assert.equal(countRecipients(resealed), desk.length + 2, 'only the desk, the recovery key and the words');
  const { body } = office.received.find(({ method, path }) => method === 'PUT' && path.endsWith('/refunds'))!;
  const sentRefund = JSON.parse(body) as { readonly sealed: string };
  assert.equal(countRecipients(Buffer.from(sentRefund.sealed, 'base64url')), desk.length + 1);

  let pages = 0;
  const many = await run(({ method, path }) => {
    if (method !== 'GET' || !path.startsWith('/resealing/refunds')) return null;
    pages += 1;
    return { json: { refunds: [{ ...owed, id: generateId() }], next: pages < 30 ? generateId() : null } };
  });
  assert.equal(many.code, 0, many.stderr);
  const sentRefunds = office.received.filter(
    (each) => each.method === 'PUT' && each.path.endsWith('/refunds'),
  );
  assert.equal(sentRefunds.length, 30, 'however many are owed');

  const hostile = EXIT_CODES.dataError;
  const lies: [name: string, code: number, text: RegExp, lie: Answer][] = [
    [
      'pages without end',
      hostile,
      /it lists more cases than it has counted/,
      toPage(() => ({ cases: createCases(), next: generateId() })),
    ],
    [
      'empty pages without end',
      hostile,
      /its list of cases does not end/,
      toPage(() => ({ cases: [], next: generateId() })),
    ],
    [
      'a page that leads to itself',
      hostile,
      /its list of cases does not end/,
      toPage(() => ({ cases: [], next: NEXT })),
    ],
    [
      'refunds without end',
      hostile,
      /its list of refunds does not end/,
      ({ path }) =>
        path.startsWith('/resealing/refunds') ? { json: { refunds: [], next: generateId() } } : null,
    ],
    ['the same page again', hostile, /it lists a case twice/, toPage(() => ({ cases: [own], next: NEXT }))],
    [
      'too many at once',
      hostile,
      /does not have the format/,
      toPage(() => ({ cases: [...createCases(), own], next: null })),
    ],
    [
      'a number without end',
      hostile,
      /does not have the format/,
      ({ path }) => (path.startsWith('/sealing-set') ? { json: { ...sets, left: 1e12 } } : null),
    ],
    [
      'too much',
      hostile,
      /it is too long/,
      ({ path }) =>
        path.startsWith('/resealing')
          ? { raw: (response) => response.writeHead(200, { 'content-length': `${2 ** 30}` }).end() }
          : null,
    ],
    [
      'the key of another case',
      hostile,
      /1 case left as before/,
      toPage((path) => ({
        cases: path.includes('after')
          ? []
          : [own, { ...own, id: generateId(), case_key: toText(stranger.caseKey) }],
        next: path.includes('after') ? null : NEXT,
      })),
    ],
    [
      'another person for the reader',
      EXIT_CODES.config,
      /Only at the office: Bo, investigator/,
      ({ path }) =>
        path === '/sealing-set'
          ? {
              json: {
                ...sets,
                configured: {
                  set,
                  members: members.map((each) =>
                    each.name === 'Bo' ? { ...each, hash: 'e'.repeat(43) } : each,
                  ),
                },
              },
            }
          : null,
    ],
    [
      'a set that was begun by another',
      EXIT_CODES.failure,
      /another owner has changed them.*run it again/s,
      ({ method }) =>
        method === 'PUT'
          ? { status: 409, json: { code: 'sealing_set_changed', detail: 'Post your key.' } }
          : null,
    ],
    [
      'a note that it cannot give at the moment',
      EXIT_CODES.unavailable,
      /^Stopped after 0 of 1 case; the next run continues\.\nThe office cannot do this at the moment\./m,
      withNote({ status: 503, json: { code: 'overloaded' } }),
    ],
    [
      'cases that are left at the end',
      EXIT_CODES.unavailable,
      /^1 case still sealed to previous keys: run the command again\.$/m,
      ({ path }) => (path === '/resealing/end' ? { json: sets } : null),
    ],
    [
      'cases that were not sent',
      hostile,
      /names cases that were not sent/,
      ({ method }) => (method === 'PUT' ? { json: { changed: [generateId()] } } : null),
    ],
  ];
  await t.test('a case that is purged meanwhile needs no key', async () => {
    const purged = await run(withNote({ status: 404, json: { code: 'case_unknown' } }));
    assert.equal(purged.code, 0, purged.stderr);
    assert.match(purged.stdout, /^0 cases sealed again\.\n1 case sealed again by another run, or purged/);
    assert.ok(office.received.every(({ method, path }) => method !== 'PUT' || path !== '/resealing'));
  });
  for (const [name, code, text, lie] of lies)
    await t.test(name, async () => {
      const result = await run(lie);
      assert.equal(result.code, code, result.stderr);
      assert.match(result.stderr, text);
      assert.ok(office.received.length < 40, `${office.received.length} requests`);
      assertNothingTold(office);
      assert.ok(!JSON.stringify(office.received).includes(fixture.key.identity));
    });
});
