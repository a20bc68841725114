/** Every decoder of sealed content opens or refuses any input, with a short result. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { openSealedDraft } from '#desk/keys/draft-file.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { openDeskChallenge } from '#desk/office/office-session.ts';
import { parseJson } from '#platform/http/json.ts';
import { buildCaseContent, openCaseObjects } from '#seal/case/case-content.ts';
import { openContactMessage, validateContactMessage } from '#seal/case/contact-message.ts';
import { messageKinds } from '#seal/case/message.ts';
import { NOTE_KIND, openCaseNote } from '#seal/case/note.ts';
import { deriveRecipient, generateAgeIdentity, sealBytes } from '#seal/core/age.ts';
import { CASE_MAC_BYTES, createCaseMac, generateCaseKey } from '#seal/core/case-key.ts';
import { checkFrame } from '#seal/core/frame.ts';
import { serializeHeader } from '#seal/core/header.ts';
import { computeSizeClass } from '#seal/core/padding.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import { MAX_HEAD_BYTES, openSealedFile } from '#seal/files/sealed-file.ts';
import { isLongRun } from '#test/scale.ts';
import { hostileBodies, sealHostileBody } from './hostile-parts.ts';

/** What fits, with header and MAC, in the largest envelope that a buyer can send as a message. */
const ENVELOPE_BODY = 63 * 1024;
const MAX_ANSWER = 64 * 1024;
/** Enough for 7,000 levels, more than most programs can print. */
const DEEP_BYTES = 14_000;

const key = await generateCaseKey(await deriveWordKeys(generateWords()));
const desk = await generateAgeIdentity();
const deskRecipient = await deriveRecipient(desk);

interface Decoder {
  readonly limit: number;
  readonly seal: (text: string) => Promise<Uint8Array>;
  /** Returns what is shown of the content; a refusal is also a result. */
  readonly open: (sealed: Uint8Array) => Promise<unknown>;
}

const places = {
  inquiry: { kind: 'inquiry.v1', seq: 0 },
  'buyer message': { kind: messageKinds.buyer, seq: 0 },
  'desk message': { kind: messageKinds.desk, seq: 0 },
  finding: { kind: 'finding.v1', seq: 0 },
} as const;

const envelopes = Object.entries(places).map(([name, place]): [string, Decoder] => [
  name,
  {
    limit: ENVELOPE_BODY,
    seal: (text) => sealHostileBody(key, place, text),
    open: async (sealed) => {
      const opened = await openCaseObjects(key, [{ ...place, at: 0, readBytes: () => sealed }]);
      const { inquiry, messages, finding } = buildCaseContent(opened);
      assert.ok(opened.every(({ part }) => 'content' in part || part.reason === 'unknown_form'));
      return [inquiry, messages.map(({ said }) => said), finding];
    },
  },
]);

const note: Decoder = {
  limit: ENVELOPE_BODY,
  seal: async (text) =>
    await sealBytes(await sealHostileBody(key, { kind: NOTE_KIND, seq: 0 }, text), [deskRecipient]),
  open: (sealed) => openCaseNote(key, desk, 0, sealed),
};

const contact: Decoder = {
  limit: ENVELOPE_BODY,
  seal: async (text) => {
    const line = `${serializeHeader({ kind: 'contact.v1', case: '', seq: 0 })}\n`;
    return await sealBytes(padFrame(line, text), [deskRecipient]);
  },
  open: async (sealed) => validateContactMessage(await openContactMessage(sealed, desk)),
};

function padFrame(line: string, text: string): Uint8Array {
  const body = Buffer.from(text);
  const frame = Buffer.alloc(computeSizeClass(line.length + 4 + body.length));
  frame.write(line);
  frame.writeUInt32BE(body.length, line.length);
  body.copy(frame, line.length + 4);
  return new Uint8Array(frame);
}

const header: Decoder = {
  limit: ENVELOPE_BODY,
  seal: async (text) => padFrame(`${text}\n`, ''),
  open: async (frame) => checkFrame(frame, { kind: 'contact.v1', case: '', seq: 0 }),
};

const fileHead: Decoder = {
  limit: MAX_HEAD_BYTES - 200,
  seal: async (text) => {
    const place = { kind: 'inquiry-file.v1', seq: 0, case: key.case } as const;
    const head = Buffer.from(`${serializeHeader(place)}\n${text}\n`);
    const mac = createCaseMac(key).update(head).digest();
    return await sealBytes(Buffer.concat([head, mac, Buffer.alloc(CASE_MAC_BYTES)]), [key.recipient]);
  },
  open: (sealed) => openSealedFile(key, { kind: 'inquiry-file.v1', seq: 0 }, ReadableStream.from([sealed])),
};

const challenge: Decoder = {
  limit: 512,
  seal: async (text) => await sealBytes(Buffer.from(text.padEnd(512).slice(0, 512)), [deskRecipient]),
  open: (sealed) => openDeskChallenge(sealed, { identity: desk, origin: 'https://localhost', now: 0 }),
};

const draft: Decoder = {
  limit: ENVELOPE_BODY,
  seal: async (text) => await sealBytes(Buffer.from(text), [deskRecipient]),
  open: (sealed) => openSealedDraft(sealed, { identity: desk, path: '' }),
};

const decoders: Readonly<Record<string, Decoder>> = {
  ...Object.fromEntries(envelopes),
  note,
  'contact message': contact,
  'first line': header,
  'head of a file': fileHead,
  'sign-in challenge': challenge,
  'draft of the desk': draft,
};

for (const [name, { limit, seal, open }] of Object.entries(decoders))
  test(`${name}: whatever it contains, it is told in few words and nothing fails in another way`, async () => {
    for (const [kind, createBody] of Object.entries(hostileBodies))
      for (const length of listLengths(kind, limit)) {
        const sealed = await seal(createBody(length).slice(0, length));
        const told = await open(sealed).catch((error: unknown) => {
          assert.ok(error instanceof SealError || error instanceof OfficeFault, `${kind}: ${error}`);
          return error.message;
        });
        const answer = JSON.stringify(told) ?? '';
        assert.ok(answer.length <= Math.max(MAX_ANSWER, 2 * sealed.length), kind);
      }
  });

/** Nested bodies are also tried at a smaller depth; in the long run, all bodies are. */
function listLengths(kind: string, limit: number): number[] {
  return isLongRun || kind.endsWith('in each other') ? [limit, Math.min(limit, DEEP_BYTES)] : [limit];
}

test('what is sealed may nest as deeply as a request, and no deeper', async () => {
  const place = places['buyer message'];
  for (const [levels, isParsed] of [
    [32, true],
    [33, false],
  ] as const) {
    const text = '['.repeat(levels) + ']'.repeat(levels);
    const opened = await openCaseObjects(key, [
      { ...place, at: 0, readBytes: () => sealHostileBody(key, place, text) },
    ]);
    assert.equal('content' in opened[0]!.part, false);
    const parse = () => parseJson(Buffer.from(text));
    if (isParsed) assert.ok(parse());
    else assert.throws(parse);
  }
});
