/** A case opened with one of its keys: the inquiry, the messages of both sides, and the finding. */
import type { Identity } from '#seal/age.ts';
import { type CaseKey, openCaseKey } from '#seal/case-key.ts';
import { openEnvelope } from '#seal/envelope.ts';
import type { Finding } from '#seal/finding.ts';
import type { Kind } from '#seal/header.ts';
import type { Inquiry } from '#seal/inquiry.ts';
import type { Message } from '#seal/message.ts';
import { SealError } from '#seal/seal-error.ts';
import { type OpenedFile, openFile } from '#seal/sealed-file.ts';
import type { Case } from '#store/cases.ts';
import type { StoredObject } from '#store/objects.ts';
import type { Actor } from './case.ts';
import { bytesOf, type CaseFile, objectAt } from './case-file.ts';

export interface WrittenMessage extends Message {
  readonly by: Actor;
  readonly seq: number;
  readonly at: number;
}

export interface OpenedCase {
  readonly record: Case;
  readonly key: CaseKey;
  readonly inquiry: Inquiry;
  /** Oldest first. */
  readonly messages: readonly WrittenMessage[];
  readonly finding: Finding | null;
}

export const messageKinds = { buyer: 'buyer-message.v1', desk: 'desk-message.v1' } as const;

/** `identity` is that of the words, of an investigator or of the recovery key. */
export async function openCaseFile(file: CaseFile, identity: Identity): Promise<OpenedCase> {
  const { record, caseKey } = file;
  const key = await openCaseKey(caseKey, identity, record.lookup_hash);
  const body = async <Body>(kind: Kind, seq: number): Promise<Body> => {
    const object = objectAt(file, kind, seq);
    if (!object) throw new SealError('truncated');
    return (await openEnvelope(key, { kind, seq }, await bytesOf(file, object))) as Body;
  };
  const written = file.objects.flatMap((object) => {
    const by = writerOf(object);
    return by ? [{ by, object }] : [];
  });
  return {
    record,
    key,
    inquiry: await body<Inquiry>('inquiry.v1', 0),
    messages: await Promise.all(
      written.map(async ({ by, object: { kind, seq, keptAt } }) => ({
        ...(await body<Message>(kind, seq)),
        by,
        seq,
        at: keptAt,
      })),
    ),
    finding: objectAt(file, 'finding.v1', 0) ? await body<Finding>('finding.v1', 0) : null,
  };
}

/** A file of the inquiry or of the finding. */
export async function openFileOf(
  file: CaseFile,
  key: CaseKey,
  kind: 'inquiry-file.v1' | 'finding-file.v1',
  seq: number,
): Promise<OpenedFile | null> {
  const object = objectAt(file, kind, seq);
  return object ? await openFile(key, { kind, seq }, file.stream(object)) : null;
}

function writerOf({ kind }: StoredObject): Actor | null {
  if (kind === messageKinds.buyer) return 'buyer';
  return kind === messageKinds.desk ? 'desk' : null;
}
