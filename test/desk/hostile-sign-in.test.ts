/** An office that lies at the sign-in: no challenge but its own is answered, and notes go to confirmed people alone. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { formatShownPerson, listConfirmedRecipients, listShownPeople } from '#desk/office/office-people.ts';
import { sealBytes } from '#seal/core/age.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { DeskSession } from '#wire/desk-session.ts';
import {
  answerAt,
  assertFault,
  assertNothingTold,
  CHALLENGES,
  listPaths,
  QUEUE,
  SESSIONS,
} from './hostile-script.ts';
import {
  createChallenge,
  createSession,
  type ScriptedOffice,
  startScriptedOffice,
} from './scripted-office.ts';
import { generateRecipient } from './sealed-fixture.ts';

test('only a new challenge of this office is answered, and only with its nonce', async (t) => {
  const office = await startScriptedOffice(t);
  const { recipient } = office.people[0]!;
  const sealText = async (text: string, length = 512) => {
    const sealed = await sealBytes(Buffer.from(text.padEnd(length)), [recipient]);
    return { id: 'A'.repeat(22), sealed: Buffer.from(sealed).toString('base64url') };
  };
  const content = {
    v: 1,
    kind: 'desk-challenge',
    origin: office.origin,
    nonce: 'n'.repeat(43),
    expires: Date.now() + 50_000,
  };
  const forOther = { ...office, people: [{ ...office.people[0]!, recipient: await generateRecipient() }] };
  const lies: readonly [name: string, challenge: object, text: RegExp][] = [
    [
      'of another office',
      await createChallenge(office, { origin: 'https://other.example' }),
      /address other than/,
    ],
    ['old', await createChallenge(office, { expires: Date.now() - 180_000 }), /it is old/],
    ['valid for a day', await createChallenge(office, { expires: Date.now() + 86_400_000 }), /too long/],
    ['for another key', await createChallenge(forOther), /does not open/],
    ['another kind', await sealText(JSON.stringify({ ...content, kind: 'case-key.v1' })), /wrong format/],
    ['another version', await sealText(JSON.stringify({ ...content, v: 2 })), /wrong format/],
    ['one field more', await sealText(JSON.stringify({ ...content, more: 1 })), /wrong format/],
    ['another spelling', await sealText(JSON.stringify(content).replace(',', ', ')), /wrong format/],
    ['no JSON', await sealText('AGE-SECRET-KEY-PQ-1'), /wrong format/],
    ['longer', await sealText(JSON.stringify(content), 4096), /wrong size/],
    [
      'the key of a case',
      { id: 'A'.repeat(22), sealed: Buffer.from(office.fixture.caseKey).toString('base64url') },
      /wrong size/,
    ],
  ];
  const desk = await office.connect();
  for (const [name, challenge, text] of lies)
    await t.test(name, async () => {
      office.script = answerAt(CHALLENGES, () => ({ json: challenge }));
      await assertFault(desk.signIn(), 'challenge_refused', text);
      assert.ok(!listPaths(office).includes('POST /sessions'), 'nothing was sent');
    });

  const replayed = await createChallenge(office);
  office.script = answerAt(CHALLENGES, () => ({ json: replayed }));
  await desk.signIn();
  await assertFault(desk.signIn(), 'challenge_refused', /already been answered/);
  const answers = office.received.filter(({ path }) => path === '/sessions');
  assert.equal(answers.length, 1);
  assert.deepEqual(Object.keys(JSON.parse(answers[0]!.body) as object), ['id', 'nonce']);
});

test('a session that ends is opened again by itself; one that never holds is said', async (t) => {
  const office = await startScriptedOffice(t);
  const desk = await office.connect();
  await desk.readQueue();
  let refusals = 1;
  office.script = answerAt(QUEUE, () =>
    refusals-- > 0 ? { status: 401, json: { code: 'invalid_token' } } : null!,
  );
  assert.equal((await desk.readQueue()).cases.length, 1);
  assert.equal(countSignIns(office), 2);
  const proofs = office.received.map(({ headers }) => headers['dpop']);
  assert.equal(new Set(proofs).size, proofs.length, 'each proof is used once');
  office.script = answerAt(QUEUE, () => ({ status: 401, json: { code: 'invalid_token' } }));
  await assertFault(desk.readQueue(), 'sign_in_refused', /ends every session/);
  office.script = answerAt(SESSIONS, () => ({
    status: 401,
    json: { code: 'sign_in_refused', detail: '<b>Send your key</b>' },
  }));
  await assertFault(desk.signIn(), 'sign_in_refused', /^The office does not know your key\. [^<]*$/);
  office.script = answerAt(CHALLENGES, () => ({ status: 404, json: { code: 'not_found' } }));
  await assertFault(desk.signIn(), 'not_for_desk', /DESK_NETWORKS/);
});

test('people whose keys do not fit are refused, and a changed team is not written to before it is confirmed', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const [ada, bo] = office.people;
  const eve = await generateRecipient();
  const answerSession = (people: ScriptedOffice['people']) =>
    answerAt(SESSIONS, () => ({ json: createSession({ people }) }));
  const desk = await office.connect();
  office.script = answerSession([ada!, { ...bo!, recipient: eve }]);
  await assertFault(desk.signIn(), 'hostile', /do not match their keys/);
  office.script = answerSession([{ ...ada!, recipient: eve, holder: computeInvestigatorId(eve) }, bo!]);
  await assertFault(desk.signIn(), 'hostile', /do not match their keys/);
  const versioned = { ...createSession(office), office: { version: '1\u001b]8;;x', test: true } };
  office.script = answerAt(SESSIONS, () => ({ json: versioned }));
  await assertFault(desk.signIn(), 'hostile', /./);
  office.script = () => null;
  await desk.signIn();
  await desk.confirmPeople([ada!, bo!].map(formatShownPerson));
  const changed = [ada!, { ...bo!, name: 'Eve', recipient: eve, holder: computeInvestigatorId(eve) }];
  office.script = answerSession(changed);
  const { peopleChange } = await desk.signIn();
  assert.deepEqual([peopleChange?.came[0]?.name, peopleChange?.went[0]?.name], ['Eve', 'Bo']);
  await assertFault(
    desk.addNote(id, 'CANARY-NOTE'),
    'people_changed',
    /Joined: Eve \(key [\d ]+\), \w+\. Left: Bo \(key [\d ]+\)\./,
  );
  assert.ok(!listPaths(office).some((path) => path.endsWith('/notes')));
  const restarted = await office.connect();
  assert.ok((await restarted.signIn()).peopleChange, 'a new start does not forget it');
  const shown = [ada!, bo!].map(formatShownPerson);
  await assertFault(restarted.confirmPeople(shown), 'people_changed', /have changed again/);
  assert.ok(restarted.session?.peopleChange);
  await restarted.confirmPeople(changed.map(formatShownPerson));
  assert.equal(restarted.session?.peopleChange, null);
  await restarted.addNote(id, 'CANARY-NOTE');
  assertNothingTold(office);
});

test('the first people are shown before they are trusted; an investigator alone has nothing to confirm', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const [ada, bo] = office.people;
  const desk = await office.connect();
  const { peopleChange } = await desk.signIn();
  assert.deepEqual(peopleChange, { came: [bo], went: [], changed: [], recovery: null, isFirst: true });
  await assertFault(desk.addNote(id, 'CANARY-NOTE'), 'people_changed', /Listed: Bo \(key [\d ]+\)/);
  const restarted = await office.connect();
  assert.deepEqual((await restarted.signIn()).peopleChange, peopleChange, 'a look is no confirmation');
  await restarted.confirmPeople([ada!, bo!].map(formatShownPerson));
  await restarted.addNote(id, 'CANARY-NOTE');
  assert.equal((await (await office.connect()).signIn()).peopleChange, null);

  const alone = await startScriptedOffice(t);
  alone.script = answerAt(SESSIONS, () => ({ json: createSession({ people: [alone.people[0]!] }) }));
  const owner = await alone.connect();
  assert.equal((await owner.signIn()).peopleChange, null);
  await owner.addNote(alone.fixture.facts.id, 'CANARY-NOTE');
  alone.script = () => null;
  const { peopleChange: later } = await (await alone.connect()).signIn();
  assert.deepEqual([later?.came[0]?.name, later?.isFirst], ['Bo', false]);
});

test('an office that swaps names, or gives another role, is caught, and no unconfirmed name is shown', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const [ada, bo] = office.people;
  const desk = await office.connect();
  const first = await desk.signIn();
  assert.deepEqual(first.known, [ada, { holder: bo!.holder, name: null }], 'not even at first');
  await desk.confirmPeople([ada!, bo!].map(formatShownPerson));
  const swapped = [
    { ...ada!, name: bo!.name },
    { ...bo!, name: ada!.name },
  ];
  const promoted = [ada!, { ...bo!, role: 'owner' as const }];
  for (const people of [swapped, promoted]) {
    office.script = answerAt(SESSIONS, () => ({ json: createSession({ people }) }));
    const other = await office.connect();
    const { peopleChange, known } = await other.signIn();
    assert.deepEqual([peopleChange?.came, peopleChange?.went], [[], []]);
    assert.equal(peopleChange?.changed.length, people === swapped ? 2 : 1);
    assert.deepEqual(known.find(({ holder }) => holder === bo!.holder)?.name, 'Bo');
    await assertFault(other.addNote(id, 'CANARY-NOTE'), 'people_changed', /Bo \(key [\d ]+\) is now \w+, /);
    await assertFault(other.confirmPeople([ada!, bo!].map(formatShownPerson)), 'people_changed', /again/);
  }
  office.script = () => null;
  assert.equal((await (await office.connect()).signIn()).peopleChange, null);
});

test('another recovery key is shown before a refund is sealed to it, and a damaged one is refused', async (t) => {
  const office = await startScriptedOffice(t);
  const desk = await office.connect();
  const shown = office.people.map(formatShownPerson);
  await desk.signIn();
  await desk.confirmPeople(shown);
  const { key, origin } = office;
  const recovery = await generateRecipient();
  const { people } = office;
  const countSealedTo = async (session: DeskSession) =>
    (await listConfirmedRecipients(key, origin, session)).length;
  assert.equal(await countSealedTo(createSession({ people })), 3);
  const other = createSession({ people, recovery });
  office.script = answerAt(SESSIONS, () => ({ json: other }));
  const { peopleChange } = await desk.signIn();
  assert.equal(peopleChange?.recovery, computeInvestigatorId(recovery));
  assert.equal(await countSealedTo(other), 2);
  await assertFault(desk.confirmPeople(shown), 'people_changed', /again/);
  await desk.confirmPeople(listShownPeople(desk.session!));
  assert.equal(await countSealedTo(other), 3);
  office.script = answerAt(SESSIONS, () => ({ json: { ...other, recovery: 'age1pq1none' } }));
  await assertFault(desk.signIn(), 'hostile', /do not match their keys/);
});

test('a note is sealed to the people of this minute, not to those of the morning', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  let now = Date.now();
  const desk = await office.connect({ clock: { now: () => now } });
  await desk.signIn();
  await desk.confirmPeople(office.people.map(formatShownPerson));
  await desk.addNote(id, 'First');
  assert.equal(countSignIns(office), 1);
  now += 61_000;
  office.script = answerAt(SESSIONS, () => ({ json: createSession({ people: [office.people[0]!] }) }));
  await assertFault(desk.addNote(id, 'Second'), 'people_changed', /Left: Bo \(key [\d ]+\)/);
  assert.equal(countSignIns(office), 2);
  assert.equal(desk.session?.peopleChange?.went[0]?.name, 'Bo', 'the pages see it too');
});

function countSignIns(office: ScriptedOffice): number {
  return listPaths(office).filter((path) => path === 'POST /sessions').length;
}
