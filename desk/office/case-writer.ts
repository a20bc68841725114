/** Seals what the investigator writes: messages to the case key, notes to the people of the desk as well. */
import { randomBytes } from 'node:crypto';
import type { PinFile } from '#desk/keys/pin-file.ts';
import { saveOwnNote } from '#desk/keys/seen-file.ts';
import { ENGLISH } from '#language/languages.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { cutIsoDay, toIsoTime } from '#platform/text/iso-time.ts';
import { type CaseMessage, validateCaseMessage } from '#seal/case/message.ts';
import { type CaseNote, NOTE_KIND, sealCaseNote, validateCaseNote } from '#seal/case/note.ts';
import { sealRefund } from '#seal/case/refund.ts';
import { sealDeskMessage } from '#seal/case/sealed-message.ts';
import { toUtcMinute } from '#seal/case/zoned-time.ts';
import type { FieldError } from '#seal/form/field-rules.ts';
import {
  type DeskActResult,
  DeskActResultSchema,
  type DeskCase,
  type DeskMessageRequest,
} from '#wire/desk-cases.ts';
import { sayText } from '#wire/said-text.ts';
import { refusePrivateKeys } from '../keys/key-slip.ts';
import {
  type CaseReaderParts,
  type DeskOpenedCase,
  type ReadCase,
  readOfficeCase,
  type SeenMessages,
} from './case-reader.ts';
import { countTakenBack, rememberCase, toCasePath } from './known-case.ts';
import { OfficeFault, withLocalFaults } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';
import { listConfirmedRecipients, requireConfirmedPeople } from './office-people.ts';
import type { OfficeSigner } from './office-session.ts';

export type DeskMessage = DeskReply & { readonly seen: SeenMessages };

export type DeskReply = {
  readonly text: string;
  /** Also offers the call that a Dossier includes. */
  readonly offersCall?: boolean;
} & (
  | { readonly act: 'message' | 'ask' | 'decline' }
  /** `at` in milliseconds; `zone` is the one in which the buyer reads it. */
  | { readonly act: 'book_call'; readonly at: number; readonly zone: string }
  /** The text is the reason that the buyer reads. */
  | { readonly act: 'retain'; readonly keepDays: number }
);

const MAX_RESULT_BYTES = 16 * 1024;
const SALT_BYTES = 32;

export interface CaseWriterParts extends CaseReaderParts {
  readonly signer: OfficeSigner;
  readonly key: PinFile;
  readonly origin: string;
  readonly holder: string;
}

export async function sendCaseMessage(
  parts: CaseWriterParts,
  id: string,
  message: DeskMessage,
): Promise<DeskCase> {
  const body = requireValidMessage(message);
  const { key, opened } = await readCaseToWrite(parts, id, message.seen);
  const { facts, content, now } = opened;
  const salt = toBase64url(randomBytes(SALT_BYTES));
  const { seq, sealed } = await sealDeskMessage(key, content, {
    message: body,
    act: message.act,
    ...(message.act === 'retain' ? { keepDays: message.keepDays } : {}),
    author: { holder: parts.holder, salt },
    seen: message.seen.buyer,
    findingSeq: countTakenBack(parts.cases, facts),
    isReleased: facts.delivered_at !== null && Date.parse(facts.delivered_at) <= now,
  });
  const request: DeskMessageRequest = {
    seq,
    sealed: toBase64url(sealed),
    act: message.act,
    salt,
    ...(message.offersCall === true ? { offer_call: true } : {}),
    ...(message.act === 'retain' ? { keep_days: message.keepDays } : {}),
    ...(message.act === 'decline' ? { refund: await sealOwedRefund(parts, opened) } : {}),
  };
  return await postToCase(parts, id, 'messages', request);
}

/** Needed because the case is purged soon, and only its inquiry has the payment reference. */
async function sealOwedRefund(
  { key, origin, signer }: CaseWriterParts,
  { facts, content: { inquiry }, now }: DeskOpenedCase,
): Promise<string> {
  const session = await signer.signInFreshly();
  const recipients = await withLocalFaults(() => listConfirmedRecipients(key, origin, session));
  const refund = {
    payment_ref: 'content' in inquiry ? inquiry.content.payment_ref : 'unknown',
    tier: facts.tier,
    declined_on: cutIsoDay(toIsoTime(now)),
  };
  return toBase64url(await sealRefund(refund, recipients));
}

export async function writeCaseNote(parts: CaseWriterParts, id: string, text: string): Promise<DeskCase> {
  const note = requireValidNote(text, parts.holder);
  // The note must not be sealed to a colleague who has left since the session began.
  const session = await parts.signer.signInFreshly();
  const desk = await withLocalFaults(() => requireConfirmedPeople(parts.key, parts.origin, session));
  const { key, file, opened } = await readCaseToWrite(parts, id, null);
  const present = file.envelopes
    .filter(({ kind }) => kind === NOTE_KIND)
    .map(({ seq: number }) => number + 1);
  // The number of a missing note is not reused.
  const seq = Math.max(opened.facts.messages.notes, 0, ...present);
  const sealed = await sealCaseNote(key, desk, { seq, note });
  const changed = await postToCase(parts, id, 'notes', { seq, sealed: toBase64url(sealed) });
  // The note was added, even if the file of seen cases cannot be written.
  await saveOwnNote(parts.key, id, seq).catch(() => undefined);
  return changed;
}

function requireValidNote(text: string, by: string): CaseNote {
  const checked = validateCaseNote({ text, by });
  if (!('note' in checked)) throw createInvalidFault(checked.errors);
  refusePrivateKeys(text);
  return checked.note;
}

/** Reads the case again right before writing, so that no new message is answered unread. */
export async function readCaseToWrite(
  parts: CaseReaderParts,
  id: string,
  seen: SeenMessages | null,
): Promise<ReadCase> {
  const read = await readOfficeCase(parts, id);
  const { isGenuine, seen: present } = read.opened;
  if (!isGenuine)
    throw new OfficeFault(
      'not_genuine',
      'The inquiry cannot be opened with the key of this case, so nothing was written: your text would have been sealed to the unknown person who made that key.',
    );
  if (seen === null) return read;
  if (present.buyer < seen.buyer || present.desk < seen.desk)
    throw new OfficeFault(
      'altered',
      'The case has fewer messages than you have read, so nothing was sent. Some may have been removed: tell the operator.',
    );
  if (present.buyer > seen.buyer || present.desk > seen.desk)
    throw new OfficeFault(
      'case_changed',
      `${present.buyer > seen.buyer ? 'The buyer' : 'A colleague'} has written since you opened the case, so nothing was sent. Read the new message, then send again.`,
    );
  return read;
}

export async function postToCase(
  parts: CaseReaderParts,
  id: string,
  path: 'messages' | 'notes' | 'finding' | 'acts',
  json: unknown,
): Promise<DeskCase> {
  const changed = await postAct(parts, id, path, json);
  if (changed === null) throw createHostileFault('it says that the case is gone');
  return changed;
}

/** Null once the case is purged. */
export async function postAct(
  { signer, cases }: CaseReaderParts,
  id: string,
  path: string,
  json: unknown,
): Promise<DeskCase | null> {
  const request = {
    method: 'POST',
    path: `${toCasePath(id)}/${path}`,
    json,
    maxBytes: MAX_RESULT_BYTES,
  } as const;
  const { case: changed }: DeskActResult = await signer.ask(DeskActResultSchema, request);
  if (changed === null) return null;
  if (changed.id !== id) throw createHostileFault('it is about another case');
  rememberCase(cases, changed);
  return changed;
}

export function requireValidMessage(message: DeskReply): CaseMessage {
  const call =
    message.act === 'book_call' ? { call: { at: toUtcMinute(message.at), zone: message.zone } } : {};
  const result = validateCaseMessage({ text: message.text, call_windows: [], ...call }, { by: 'desk' });
  if (!('message' in result)) throw createInvalidFault(result.errors);
  refusePrivateKeys(message.text);
  return result.message;
}

export function createInvalidFault(errors: readonly FieldError[]): OfficeFault {
  const sentences = errors.map(({ said }) => sayText(ENGLISH, said).replace(/\.$/, ''));
  return new OfficeFault('invalid', `${sentences.join('; ')}.`);
}
