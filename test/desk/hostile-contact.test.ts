/** An office that lies about contact messages and numbers: no lie is shown as a message. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { type ContactMessage, sealContactMessage } from '#seal/case/contact-message.ts';
import { answerAt, assertFault, assertNothingTold } from './hostile-script.ts';
import { startScriptedOffice } from './scripted-office.ts';
import { generateRecipient } from './sealed-fixture.ts';

const ID = 'q1Zl7yBq3mJx0c2y8l4QxA';
const OTHER_ID = 'q1Zl7yBq3mJx0c2y8l4QxB';
const CONTACT = /^GET \/contact$/;
const MESSAGE: ContactMessage = { topic: 'question', message: 'CANARY of a stranger', reply_to: '' };

function toMessage(sealed: Uint8Array, id = ID) {
  const at = toIsoTime(Date.now());
  return {
    id,
    sealed_by: 'browser',
    received_at: at,
    purge_at: at,
    sealed: Buffer.from(sealed).toString('base64url'),
  };
}

test('what an office calls a contact message is one that opens, or is not shown', async (t) => {
  const office = await startScriptedOffice(t);
  const own = office.people[0]!.recipient;
  const message = toMessage(await sealContactMessage(MESSAGE, [own]));
  const foreign = toMessage(await sealContactMessage(MESSAGE, [await generateRecipient()]));
  const invalid = toMessage(await sealContactMessage({ ...MESSAGE, topic: '<b>' as 'press' }, [own]));
  const otherKind = office.fixture.parts[0]!.bytes;
  const show = (...messages: unknown[]) => {
    office.script = answerAt(CONTACT, () => ({ json: { messages, next: null } }));
  };
  const readOne = async (shown: unknown) => {
    const desk = await office.connect();
    show(shown);
    await desk.contact.read();
    return await desk.contact.open(ID);
  };
  assert.deepEqual(await readOne(message), { said: MESSAGE });
  for (const [shown, text] of [
    [foreign, /not sealed to your key/],
    [invalid, /not a contact message/],
    [toMessage(otherKind), /not sealed|damaged|belongs to another|not shown/i],
    [toMessage(Buffer.from('age-encryption.org/v1')), /\w/],
  ] as const) {
    const opened = await readOne(shown);
    assert.ok('unreadable' in opened);
    assert.match(opened.unreadable, text);
  }
  const desk = await office.connect();
  for (const [shown, text] of [
    [[{ ...message, id: '../cases' }], /format that this version/],
    [[{ ...message, sealed: '' }], /format that this version/],
    [[{ ...message, html: '<b>' }], /format that this version/],
    [[{ ...message, received_at: 'soon' }], /format that this version/],
    [[message, message], /same contact message twice/],
  ] as const) {
    show(...shown);
    await assertFault(desk.contact.read(), 'hostile', text);
  }
  show(message, { ...message, id: OTHER_ID });
  await desk.contact.read();
  show(foreign);
  await assertFault(desk.contact.read(), 'hostile', /differs from the one that it sent before/);
  await assertFault(desk.contact.open('q1Zl7yBq3mJx0c2y8l4QxC'), 'refused', /is no longer waiting/);
  assertNothingTold(office);
});

test('a refusal to mark a message speaks of messages, and numbers have their form', async (t) => {
  const office = await startScriptedOffice(t);
  const desk = await office.connect();
  office.script = answerAt(/done$/, () => ({ status: 409, json: { code: 'case_state' } }));
  await assertFault(desk.contact.resolve(ID), 'refused', /A colleague has already marked/);
  office.script = answerAt(/done$/, () => ({ status: 409, json: { code: 'constructor' } }));
  await assertFault(desk.contact.resolve(ID), 'refused', /refused this \(constructor\)/);
  office.script = answerAt(/numbers$/, () => ({ json: { contact: '<b>' } }));
  await assertFault(desk.readNumbers(), 'hostile', /format that this version/);
});
