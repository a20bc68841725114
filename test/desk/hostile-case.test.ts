/** An office that lies about a case: nothing false is opened, pinned or written to, and each lie is reported. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test, { type TestContext } from 'node:test';
import type { DeskOffice } from '#desk/office/office-client.ts';
import type { OfficeFaultCode } from '#desk/office/office-fault.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { sealCaseNote } from '#seal/case/note.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { answerAt, assertFault, assertNothingTold, listPaths } from './hostile-script.ts';
import { type ScriptedOffice, startScriptedOffice } from './scripted-office.ts';
import {
  LETTER,
  sealBuyerMessage,
  sealFixture,
  sealImpostor,
  sealPart,
  toCaseFile,
} from './sealed-fixture.ts';

async function openConnectedCase(
  t: TestContext,
): Promise<{ office: ScriptedOffice; desk: DeskOffice; id: string }> {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const { fixture } = office;
  fixture.parts.push(
    await sealBuyerMessage(fixture.key, 0, 'First CANARY-1'),
    await sealBuyerMessage(fixture.key, 1, 'Second CANARY-2'),
  );
  const desk = await office.connectConfirmed();
  assert.deepEqual((await desk.readCase(id)).gaps, []);
  return { office, desk, id };
}

test('a swapped key of a case is refused, in this run and after a restart', async (t) => {
  const { office, desk, id } = await openConnectedCase(t);
  const recipients = office.people.map(({ recipient }) => recipient);
  const impostor = await sealImpostor(office.fixture, recipients);
  office.script = answerAt(/^GET \/cases\//, () => ({ json: toCaseFile(impostor) }));
  const writing = { act: 'ask', text: 'CANARY-ASKED', seen: { buyer: 2, desk: 0 } } as const;
  for (const each of [desk, await office.connect()]) {
    await assertFault(each.readCase(id), 'key_changed', /not the one that was pinned/);
    await assertFault(each.sendMessage(id, writing), 'key_changed', /not the one that was pinned/);
    await assertFault(each.addNote(id, 'CANARY-NOTE'), 'key_changed', /not the one that was pinned/);
  }
  assert.ok(!listPaths(office).some((path) => /messages|notes/.test(path)), 'nothing was sealed to it');
  assertNothingTold(office);
});

test('a key without the inquiry of the buyer is never pinned and never written to', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const impostor = await sealImpostor(
    office.fixture,
    office.people.map(({ recipient }) => recipient),
  );
  const parts = [office.fixture.parts[0]!];
  office.script = answerAt(/^GET \/cases\//, () => ({ json: toCaseFile({ ...impostor, parts }) }));
  const desk = await office.connectConfirmed();
  const { isGenuine, isFirstOpening, content } = await desk.readCase(id);
  assert.deepEqual([isGenuine, isFirstOpening, 'content' in content.inquiry], [false, false, false]);
  assert.ok(!existsSync(office.key.path));
  const writing = desk.sendMessage(id, { act: 'ask', text: 'CANARY', seen: { buyer: 0, desk: 0 } });
  await assertFault(writing, 'not_genuine', /cannot be opened with the key/);
  await assertFault(desk.addNote(id, 'CANARY'), 'not_genuine', /cannot be opened with the key/);
  const finding = { markdown: 'CANARY', files: [], seen: { buyer: 0, desk: 0 } };
  await assertFault(desk.deliver(id, finding), 'not_genuine', /cannot be opened with the key/);
  office.script = () => null;
  assert.deepEqual((await desk.readQueue()).cases[0]?.news, 'case', 'nor does it count as opened');
  assert.ok((await desk.readCase(id)).isGenuine, 'what was shut under that key opens under the right one');
  assertNothingTold(office);
});

test('what was seen of a case cannot be changed, swapped or dropped unnoticed', async (t) => {
  const { office, desk, id } = await openConnectedCase(t);
  const { fixture } = office;
  const other = await sealFixture(office.people.map(({ recipient }) => recipient));
  const answerWith = (changes: object) =>
    answerAt(/^GET \/cases\//, () => ({ json: { ...toCaseFile(fixture), ...changes } }));
  const { case: facts, envelopes, objects } = toCaseFile(fixture);
  const changed = await sealBuyerMessage(fixture.key, 1, 'Another');
  const swapped = envelopes.map((each) => ({
    ...each,
    sealed: each.seq === 1 ? Buffer.from(changed.bytes).toString('base64url') : each.sealed,
  }));
  const renumbered = envelopes.map((each) =>
    each.kind === 'buyer-message.v1' ? { ...each, seq: 1 - each.seq } : each,
  );
  const turned = envelopes.map((each) => ({
    ...each,
    kind: each.kind === 'buyer-message.v1' ? ('desk-message.v1' as const) : each.kind,
  }));
  const lies: readonly [name: string, changes: object, code: OfficeFaultCode, text: RegExp][] = [
    ['another id', { case: other.facts }, 'hostile', /about another case/],
    [
      'other words',
      { case: { ...facts, lookup_hash: other.facts.lookup_hash } },
      'altered',
      /not the same as when/,
    ],
    ['another tier', { case: { ...facts, tier: 'Trace' } }, 'altered', /not the same as when/],
    ['a changed message', { envelopes: swapped }, 'altered', /buyer-message\.v1, number 1/],
    ['exchanged messages', { envelopes: renumbered }, 'altered', /is not the same as when/],
    ['another kind', { envelopes: turned }, 'hostile', /does not list/],
    [
      'a part twice',
      { envelopes: [...envelopes, envelopes[0]] },
      'hostile',
      /two parts with the same kind and number/,
    ],
    [
      // A size of another padding step.
      'another size of a file',
      { objects: objects.map((each) => ({ ...each, size: each.size + 512 })) },
      'altered',
      /inquiry-file/,
    ],
    [
      'a file larger than any',
      { objects: objects.map((each) => ({ ...each, size: 2 ** 40 })) },
      'hostile',
      /a file of an impossible size/,
    ],
    [
      'a key that is no key',
      { case_key: Buffer.from(other.caseKey).toString('base64url') },
      'unreadable',
      /cannot be opened/,
    ],
  ];
  for (const [name, changes, code, text] of lies)
    await t.test(name, async () => {
      office.script = answerWith(changes);
      await assertFault(desk.readCase(id), code, text);
    });
  const isKept = (part: { readonly kind: string; readonly seq: number }) =>
    part.kind !== 'buyer-message.v1' || part.seq !== 1;
  office.script = answerWith({
    case: { ...facts, messages: { ...facts.messages, buyer: 1 } },
    envelopes: envelopes.filter(isKept),
    objects: objects.filter(isKept),
  });
  const { gaps } = await desk.readCase(id);
  assert.deepEqual(
    gaps.map(({ kind, first, last }) => [kind, first, last]),
    [['buyer-message.v1', 1, 1]],
  );
  assert.match(gaps[0]!.text, /A message from the buyer is missing \(number 2\)/);
  const seen = { buyer: 2, desk: 0 };
  await assertFault(
    desk.sendMessage(id, { act: 'message', text: 'CANARY', seen }),
    'altered',
    /fewer messages/,
  );
  const restarted = await office.connect();
  assert.equal((await restarted.readCase(id)).gaps.length, 1, 'a new start remembers how many there were');
  office.script = () => null;
  assert.deepEqual((await desk.readCase(id)).gaps, []);
  assertNothingTold(office);
});

test('what the desk seals tells its meaning, and an office that gives it another is shown up', async (t) => {
  const { office, desk, id } = await openConnectedCase(t);
  const { fixture } = office;
  const send = async (message: { act: 'ask' | 'message' } | { act: 'retain'; keepDays: number }) =>
    await desk.sendMessage(id, { text: 'Hello.', seen: (await desk.readCase(id)).seen, ...message });
  await send({ act: 'retain', keepDays: 90 });
  await send({ act: 'message' });
  const setToldFacts = (facts: object) => {
    office.script = answerAt(/^GET \/cases\//, () => {
      const file = toCaseFile(fixture);
      return { json: { ...file, case: { ...file.case, ...facts } } };
    });
  };
  setToldFacts({ keep_days: 90 });
  const { content, differences } = await desk.readCase(id);
  const sealed = content.messages.flatMap(({ by, said }) =>
    by === 'desk' && 'content' in said ? [[said.content.act, said.content.keep_days]] : [],
  );
  assert.deepEqual(
    [sealed, differences],
    [
      [
        ['retain', 90],
        ['message', null],
      ],
      [],
    ],
  );
  const lies: readonly [facts: object, text: RegExp][] = [
    [{ keep_days: 30 }, /kept for 90 days after the answer, but it is shown as kept for 30/],
    [{ keep_days: 90, state: 'declined' }, /shown as not accepted, but no message/],
    [{ keep_days: 90, state: 'awaiting_client' }, /shown as waiting for a reply, but no message/],
  ];
  for (const [facts, text] of lies) {
    setToldFacts(facts);
    const told = (await desk.readCase(id)).differences;
    assert.equal(told.length, 1);
    assert.match(told[0]!, text);
  }
});

test('no two findings get one number, whatever the office says of those that were taken back', async (t) => {
  const { office, desk, id } = await openConnectedCase(t);
  const { fixture } = office;
  const deliverNumber = async () => {
    await desk.deliver(id, { markdown: 'Yes.', files: [], seen: (await desk.readCase(id)).seen });
    const { body } = office.received.findLast(({ path }) => path.endsWith('/finding'))!;
    return (JSON.parse(body) as { seq: number }).seq;
  };
  const acts = { ...fixture.facts, acts: ['deliver' as const] };
  office.script = answerAt(/^GET \/cases\//, () => ({ json: { ...toCaseFile(fixture), case: acts } }));
  assert.equal(await deliverNumber(), 0);
  fixture.parts.push(await sealPart(fixture.key, 'finding.v1', 0, { markdown: 'Yes.' }));
  const seen = (await desk.readCase(id)).seen;
  fixture.parts.pop();
  await desk.sendMessage(id, { act: 'message', text: 'A little later.', seen });
  assert.equal(await deliverNumber(), 1, 'this run has seen the first');
  assert.equal((await desk.readCase(id)).content.messages.length, 3);
  const restarted = await office.connect();
  const again = await restarted.readCase(id);
  await restarted.deliver(id, { markdown: 'Yes.', files: [], seen: again.seen });
  const { body } = office.received.findLast(({ path }) => path.endsWith('/finding'))!;
  assert.equal((JSON.parse(body) as { seq: number }).seq, 1, 'a later run reads it in the message');
});

test('parts of other cases and forged notes are shown as what they are, and nothing of them', async (t) => {
  const office = await startScriptedOffice(t);
  const { fixture } = office;
  const { id } = fixture.facts;
  const recipients = office.people.map(({ recipient }) => recipient);
  const other = await sealFixture(recipients);
  const note = { text: 'FORGED', by: office.people[1]!.holder };
  fixture.parts.push(
    { ...(await sealBuyerMessage(other.key, 0, 'OTHER')), kind: 'buyer-message.v1' },
    { ...(await sealPart(fixture.key, 'buyer-message.v1', 2, { text: 'MOVED', call_windows: [] })), seq: 1 },
    {
      kind: 'note.v1',
      seq: 0,
      at: new Date().toISOString(),
      bytes: await sealCaseNote(other.key, recipients, { seq: 0, note }),
    },
    { kind: 'note.v1', seq: 1, at: new Date().toISOString(), bytes: Buffer.from('FORGED') },
  );
  const desk = await office.connect();
  const opened = await desk.readCase(id);
  assert.ok(opened.content.messages.every(({ said }) => 'unreadable' in said));
  assert.ok(opened.notes.every(({ by, said }) => by === null && 'unreadable' in said));
  assert.doesNotMatch(JSON.stringify(opened), /OTHER|MOVED|FORGED/);
  const file = other.parts[1]!;
  office.script = answerAt(/\/pieces\/0$/, () => ({ bytes: file.bytes }));
  await assertFault(
    desk.streamFile(id, { kind: 'inquiry-file.v1', seq: 0 }),
    'unreadable',
    /not open|another case|Check/,
  );
  const cut = fixture.parts[1]!.bytes;
  office.script = answerAt(/\/pieces\/0$/, () => ({
    bytes: Buffer.concat([cut.subarray(0, -1), Buffer.from([cut.at(-1)! ^ 1])]),
  }));
  await assertFault(readWholeFile(desk, id), 'unreadable', /changed after it was sealed|not arrive in full/);
  const renamed = await sealFile(
    fixture.key,
    { kind: 'inquiry-file.v1', seq: 0 },
    { name: 'letter.txt.html', mime: 'text/plain', content: new Blob([LETTER]).stream(), maxBytes: 99 },
  );
  const bytes = Buffer.concat(await Array.fromAsync(renamed));
  office.script = answerAt(/\/pieces\/0$/, () => ({ bytes }));
  await assertFault(readWholeFile(desk, id), 'unreadable', /another place or another case/);
  office.script = answerAt(/\/pieces\/0$/, () => ({ status: 503, json: { code: 'overloaded' } }));
  await assertFault(readWholeFile(desk, id), 'refused', /Try again in a minute/);
  office.script = answerAt(/\/pieces\/0$/, () => ({ bytes: Buffer.concat([cut, cut]) }));
  await assertFault(readWholeFile(desk, id), 'hostile', /too long/);
});

async function readWholeFile(desk: DeskOffice, id: string): Promise<void> {
  const { content } = await desk.streamFile(id, { kind: 'inquiry-file.v1', seq: 0 });
  for await (const _ of content);
}

test('an office that says of a living case that it is gone takes no draft with it', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const desk = await office.connect();
  await desk.drafts.save(id, { markdown: 'Half a finding.' });
  office.script = answerAt(/^POST \/cases\/[^/]+\/acts$/, () => ({
    json: { case: null, now: toIsoTime(Date.now()) },
  }));
  for (const act of ['take', 'let_go', 'purge'] as const)
    await assertFault(desk.act(id, act), 'hostile', /says that the case is gone/);
  assert.deepEqual(await desk.drafts.read(id), { markdown: 'Half a finding.' });
});

test('an id that is a path leads nowhere, and a closed desk sends nothing', async (t) => {
  const office = await startScriptedOffice(t);
  const desk = await office.connect();
  await desk.signIn();
  const before = office.received.length;
  for (const id of ['', '..', '../sessions', 'a/b', `${office.fixture.facts.id}?x=1`]) {
    await assertFault(desk.readCase(id), 'case_unknown', /no such case/);
    await assertFault(desk.act(id, 'purge'), 'case_unknown', /no such case/);
    await assertFault(
      desk.streamFile(id, { kind: 'inquiry-file.v1', seq: 0 }),
      'case_unknown',
      /no such case/,
    );
  }
  desk.close();
  await assertFault(desk.readCase(office.fixture.facts.id), 'unreachable', /locked/);
  assert.equal(office.received.length, before);
});
