/** A case opened with one of its keys: the inquiry, the messages of both sides, and the finding. */
import type { AgeIdentity } from '#seal/age.ts';
import { type CaseContent, openCaseContent } from '#seal/case-content.ts';
import { type CaseKey, openCaseKey } from '#seal/case-key.ts';
import type { SealedFileKind } from '#seal/header.ts';
import { type OpenedSealedFile, openSealedFile } from '#seal/sealed-file.ts';
import type { Case } from '#store/cases.ts';
import { findCaseObject, readObjectBytes, type SealedCase } from './sealed-case.ts';

/** Times are those at which the store received each part. */
export interface DecryptedCase extends CaseContent<number> {
  readonly record: Case;
  readonly key: CaseKey;
}

/** `identity` comes from the words, an investigator or the recovery key. */
export async function openSealedCase(file: SealedCase, identity: AgeIdentity): Promise<DecryptedCase> {
  const { record, caseKey } = file;
  const key = await openCaseKey(caseKey, identity, record.lookup_hash);
  const objects = file.objects.map((object) => ({
    kind: object.kind,
    seq: object.seq,
    at: object.keptAt,
    readBytes: async () => await readObjectBytes(file, object),
  }));
  return { record, key, ...(await openCaseContent(key, objects)) };
}

/** Opens a file of the inquiry or of the finding. */
export async function openAttachedFile(
  file: SealedCase,
  key: CaseKey,
  kind: SealedFileKind,
  seq: number,
): Promise<OpenedSealedFile | null> {
  const object = findCaseObject(file, kind, seq);
  return object ? await openSealedFile(key, { kind, seq }, file.stream(object)) : null;
}
