/** The steps of sealing and opening that cost milliseconds each; the service runs them in a separate thread. */

import { type OpenedObject, openCaseObjects, type SealedObject } from '#seal/case/case-content.ts';
import { sealContactMessage } from '#seal/case/contact-message.ts';
import { sealCaseMessage } from '#seal/case/sealed-message.ts';
import { type CaseKey, generateCaseKey, openCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { sealDeskChallenge } from '#seal/core/desk-challenge.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys } from '#seal/core/words.ts';
import { openSealedFile, sealFile } from '#seal/files/sealed-file.ts';

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

/** Arguments and results are plain data or byte streams, so that they can be passed to another thread. */
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
