/** The processor time and the answer of what decodes sealed bodies, for those that nest and those that are wide. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { validateContactMessage } from '#seal/case/contact-message.ts';
import { validateFinding } from '#seal/case/finding.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import { validateCaseNote } from '#seal/case/note.ts';
import { openPart } from '#seal/case/opened-part.ts';
import { parseBoundedJson } from '#seal/core/bounded-json.ts';
import { checkFrame, decodeFrameBody } from '#seal/core/frame.ts';
import { validateInquiry } from '#seal/form/inquiry.ts';
import { hostileBodies } from '#test/cases/hostile-parts.ts';
import { assertSteadyGrowth } from './growth.ts';

/** The largest envelope. */
const FRAME_BYTES = 256 * 1024;
const MAX_ANSWER = 64 * 1024;

/** Decoded after the keys have opened it: the cost of opening is the same for every body. */
const decoders: Readonly<Record<string, (frame: Uint8Array) => unknown>> = {
  'an inquiry': (frame) => openBody(frame, (body) => validateInquiry(body, { includesCall: true })),
  'a message of the buyer': (frame) => openBody(frame, (body) => validateCaseMessage(body)),
  'a message of the desk': (frame) => openBody(frame, (body) => validateCaseMessage(body, { by: 'desk' })),
  'a finding': (frame) => openBody(frame, validateFinding),
  'a note': (frame) => openBody(frame, validateCaseNote),
  'a contact message': (frame) => openBody(frame, validateContactMessage),
  'a first line': (frame) => {
    const line = Buffer.alloc(FRAME_BYTES, '\n');
    line.set(decodeFrameBody(frame).bytes);
    assert.throws(() => checkFrame(line, { kind: 'contact.v1', case: '', seq: 0 }), { name: 'SealError' });
  },
  'a draft, or a challenge': (frame) =>
    parseBoundedJson(Buffer.from(decodeFrameBody(frame).bytes).toString('latin1')) === undefined,
};

/** As in a case: a body that is not valid is of an unknown form. */
async function openBody(frame: Uint8Array, validate: (body: unknown) => object): Promise<unknown> {
  return await openPart(
    async () => decodeFrameBody(frame),
    (body) => {
      const checked = validate(body);
      return 'errors' in checked ? undefined : checked;
    },
  );
}

function buildFrame(text: string): Uint8Array {
  const body = Buffer.from(text);
  const frame = Buffer.alloc(body.length + 6);
  frame.write('{\n');
  frame.writeUInt32BE(body.length, 2);
  body.copy(frame, 6);
  return frame;
}

for (const [name, decode] of Object.entries(decoders))
  test(`${name}: the time grows with the length, and the answer stays short, whatever nests or spreads`, async () => {
    for (const [kind, createBody] of Object.entries(hostileBodies)) {
      const frames = new Map<number, Uint8Array>();
      await assertSteadyGrowth(`${name} of ${kind}`, FRAME_BYTES - 6, async (given) => {
        const length = Math.floor(given);
        const frame = frames.get(length) ?? buildFrame(createBody(length).slice(0, length));
        frames.set(length, frame);
        const answer = JSON.stringify(await decode(frame)) ?? '';
        assert.ok(answer.length <= Math.max(MAX_ANSWER, 2 * frame.length), `${name} of ${kind}`);
      });
    }
  });
