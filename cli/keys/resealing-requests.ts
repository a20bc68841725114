/** The requests with which an owner re-seals cases by command. Their answers are validated like all others. */

import { readFilePieces } from '#desk/office/file-reader.ts';
import { createHostileFault } from '#desk/office/office-http.ts';
import type { OfficeSigner } from '#desk/office/office-session.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import {
  type DeskRecipientSet,
  DeskRecipientSetSchema,
  type DeskRefundResealing,
  type DeskResealingPage,
  DeskResealingPageSchema,
  type DeskResealingRequest,
  DeskResealingResultSchema,
  type DeskSetRequest,
} from '#wire/desk-resealing.ts';

const KIB = 1024;
/** Room for two sets of a hundred people. */
const MAX_SET_BYTES = 64 * KIB;
/** Room for twenty keys, each sealed to a hundred people. */
const MAX_PAGE_BYTES = 8 * KIB * KIB;
const MAX_RESULT_BYTES = 4 * KIB;
/** The office's own time limit for this. */
const END_MS = 15 * MINUTE_MS;

/** `left` counts what is not yet sealed to `set`, or else to the configured keys. */
export async function fetchRecipientSet(signer: OfficeSigner, set?: string): Promise<DeskRecipientSet> {
  const path = set === undefined ? '/sealing-set' : `/sealing-set?set=${set}`;
  return await signer.read(DeskRecipientSetSchema, path, MAX_SET_BYTES);
}

export async function postRecipientSet(signer: OfficeSigner, json: DeskSetRequest): Promise<void> {
  const request = { method: 'POST', path: '/sealing-set', json, maxBytes: MAX_SET_BYTES } as const;
  const { adopted } = await signer.ask(DeskRecipientSetSchema, request);
  if (adopted?.set !== json.set) throw createHostileFault('it does not say that the keys were adopted');
}

export async function fetchResealingPage(
  signer: OfficeSigner,
  query: { readonly set: string; readonly after?: string },
): Promise<DeskResealingPage> {
  const path = `/resealing?${new URLSearchParams(query)}`;
  return await signer.read(DeskResealingPageSchema, path, MAX_PAGE_BYTES);
}

export async function readSealedNote(
  signer: OfficeSigner,
  caseId: string,
  { seq, size }: { readonly seq: number; readonly size: number },
): Promise<Uint8Array> {
  const path = `/cases/${caseId}/objects/note.v1/${seq}/pieces`;
  return Buffer.concat(await Array.fromAsync(readFilePieces({ signer }, path, size)));
}

/** Returns the cases whose key another run has replaced meanwhile. */
export async function putResealedCases(
  signer: OfficeSigner,
  json: DeskResealingRequest,
): Promise<ReadonlySet<string>> {
  const request = { method: 'PUT', path: '/resealing', json, maxBytes: MAX_RESULT_BYTES } as const;
  const { changed } = await signer.ask(DeskResealingResultSchema, request);
  if (changed.some((id) => json.cases.every((each) => each.id !== id)))
    throw createHostileFault('it names cases that were not sent');
  return new Set(changed);
}

export async function putResealedRefund(signer: OfficeSigner, json: DeskRefundResealing): Promise<void> {
  await signer.send({ method: 'PUT', path: '/resealing/refunds', json, maxBytes: MAX_RESULT_BYTES });
}

/** Makes the office overwrite what the previous keys opened. Returns how many cases are still not sealed again. */
export async function postResealingEnd(signer: OfficeSigner, set: string): Promise<number> {
  const path = '/resealing/end';
  const request = { method: 'POST', path, json: { set }, maxBytes: MAX_SET_BYTES, answerMs: END_MS } as const;
  return (await signer.ask(DeskRecipientSetSchema, request)).left;
}
