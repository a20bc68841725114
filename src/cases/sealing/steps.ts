/** The steps of sealing and opening that cost milliseconds each; the service runs them in a thread of their own. */

import { type OpenedObject, openCaseObjects, type SealedObject } from '#seal/case-content.ts';
import { type CaseKey, generateCaseKey, openCaseKey, sealCaseKey } from '#seal/case-key.ts';
import { sealContactMessage } from '#seal/contact-message.ts';
import { sealDeskChallenge } from '#seal/desk-challenge.ts';
import { sealEnvelope } from '#seal/envelope.ts';
import { openSealedFile, sealFile } from '#seal/sealed-file.ts';
import { sealCaseMessage } from '#seal/sealed-message.ts';
import { deriveWordKeys } from '#seal/words.ts';

/** An object of a case whose bytes were read. */
export type ReadObject<Time> = Omit<SealedObject<Time>, 'readBytes'> & { readonly sealed: Uint8Array };

async function openReadObjects<Time>(
  key: CaseKey,
  objects: readonly ReadObject<Time>[],
  room?: number,
): Promise<OpenedObject<Time>[]> {
  return await openCaseObjects(
    key,
    objects.map(({ sealed, ...object }) => ({ ...object, readBytes: () => sealed })),
    room,
  );
}

/** What they are given and return is plain data or a stream of bytes, so that it can pass to another thread. */
export const sealingSteps = {
  deriveWordKeys,
  generateCaseKey,
  sealCaseKey,
  openCaseKey,
  sealEnvelope,
  sealCaseMessage,
  sealContactMessage,
  sealDeskChallenge,
  sealFile,
  openSealedFile,
  openReadObjects,
} as const;

export type SealingSteps = typeof sealingSteps;
export type SealingStepName = keyof SealingSteps;
