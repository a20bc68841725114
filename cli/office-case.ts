/** Cases as the desk's door tells them, in the form that commands work with. */
import type { UnsentFinding } from '#cases/delivery.ts';
import type { SealedMessage } from '#cases/messages.ts';
import type { SealedCase } from '#cases/sealed-case.ts';
import { readFilePieces } from '#desk-program/office/file-reader.ts';
import { uploadSealedStream } from '#desk-program/office/finding-sender.ts';
import { toCasePath } from '#desk-program/office/known-case.ts';
import { createHostileFault } from '#desk-program/office/office-http.ts';
import type { OfficeSigner } from '#desk-program/office/office-session.ts';
import { tierNames } from '#payments/tiers.ts';
import { toBase64url } from '#platform/base64url.ts';
import { createByteStream } from '#seal/byte-stream.ts';
import type { Case } from '#store/cases.ts';
import { CALL_STATES, CASE_STATES, SEALED_BY } from '#store/column-values.ts';
import type { DeskCase, DeskCaseFile, DeskMessageRequest } from '#wire/desk-cases.ts';

export function toMessageRequest({ seq, sealed, act, callAct, retain }: SealedMessage): DeskMessageRequest {
  return {
    seq,
    sealed: toBase64url(sealed),
    act: retain ? 'retain' : (act ?? (callAct === 'book' ? 'book_call' : 'message')),
    ...(callAct === 'offer' ? { offer_call: true } : {}),
    ...(retain ? { keep_days: retain.days } : {}),
  };
}

export async function uploadFiles(
  signer: OfficeSigner,
  id: string,
  files: UnsentFinding['files'],
): Promise<{ upload: string; size: number }[]> {
  const uploads: { upload: string; size: number }[] = [];
  for (const seal of files) uploads.push(await uploadSealedStream(signer, id, await seal()));
  return uploads;
}

/** Envelopes came with the case; files are read when somebody asks for them. */
export function toSealedOfficeCase(
  signer: OfficeSigner,
  { case: facts, case_key, objects, envelopes }: DeskCaseFile,
): SealedCase {
  const toName = ({ kind, seq }: { readonly kind: string; readonly seq: number }) => `${kind} ${seq}`;
  const sealedByName = new Map(envelopes.map((each) => [toName(each), each.sealed]));
  return {
    record: toOfficeRecord(facts),
    caseKey: Buffer.from(case_key, 'base64url'),
    objects: objects.map(({ kind, seq, size, at }) => ({
      id: toName({ kind, seq }),
      kind,
      seq,
      size,
      keptAt: Date.parse(at),
    })),
    stream: ({ id: name, kind, seq, size }) => {
      const sealed = sealedByName.get(name);
      if (sealed !== undefined) return new Blob([Buffer.from(sealed, 'base64url')]).stream();
      const path = `${toCasePath(facts.id)}/objects/${kind}/${seq}/pieces`;
      return createByteStream(readFilePieces({ signer }, path, size));
    },
  };
}

/** What only the office's own records have is empty. */
export function toOfficeRecord(facts: DeskCase): Case {
  const { id, lookup_hash, keep_days, finding_seq, holder, purge_by } = facts;
  const parseTime = (text: string | null) => (text === null ? null : Date.parse(text));
  return {
    id,
    lookup_hash,
    tier: requireKnown(facts.tier, tierNames),
    state: requireKnown(facts.state, CASE_STATES),
    call: requireKnown(facts.call, CALL_STATES),
    sealed_by: requireKnown(facts.sealed_by, SEALED_BY),
    keep_days,
    finding_seq,
    holder,
    submitted_at: Date.parse(facts.submitted_at),
    due_at: Date.parse(facts.due_at),
    delivered_at: parseTime(facts.delivered_at),
    released_at: parseTime(facts.held_until),
    held_state: facts.held_until === null ? null : 'in_progress',
    purge_at: parseTime(facts.purge_at),
    purge_by,
    kept_until: null,
    taken_from: null,
    unanswered_since: parseTime(facts.unanswered_since),
    changed_at: Date.parse(facts.changed_at),
    taken_at: null,
    owner: null,
    words_tag: '',
    shortened_from: null,
    terms_version: '',
    key_box: new Uint8Array(),
    purging: 0,
    shred_slot: null,
    shred_id: null,
    sealed_to: null,
    notice_id: null,
  };
}

function requireKnown<Value extends string>(text: string, values: readonly Value[]): Value {
  const value = values.find((each) => each === text);
  if (value === undefined) throw createHostileFault('it has words that this version does not know');
  return value;
}
