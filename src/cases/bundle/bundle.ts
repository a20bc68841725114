/** A bundle: a whole case as it lies sealed, to be worked on where no database is, and what was written there. */
import { messageKinds } from '#cases/decrypted-case.ts';
import type { SealedMessage } from '#cases/messages.ts';
import { purgeTime } from '#cases/retention.ts';
import type { CaseFile } from '#cases/sealed-case.ts';
import { callAfter, demandState, stateAfter, WRITABLE } from '#cases/states.ts';
import { streamFrom } from '#seal/byte-stream.ts';
import type { Case } from '#store/cases.ts';
import type { StoredObject } from '#store/objects.ts';

export interface BundledObject extends StoredObject {
  readonly content: () => Promise<ReadableStream<Uint8Array>>;
}

/** What was done to the case in the bundle; the sealed things that belong to it are among the objects. */
export type BundledAct =
  | { readonly act: 'message' | 'ask' | 'decline'; readonly seq: number; readonly offers_call: boolean }
  | { readonly act: 'deliver' };

export interface Bundle {
  /** As it is once all acts are done. */
  readonly record: Case;
  readonly caseKey: Uint8Array;
  readonly objects: readonly BundledObject[];
  /** In their order; none in a bundle that nobody has worked on. */
  readonly acts: readonly BundledAct[];
}

export interface SealedContent {
  readonly size: number;
  readonly content: () => Promise<ReadableStream<Uint8Array>>;
}

export function bundleOf({ record, caseKey, objects, stream }: CaseFile): Bundle {
  const bundled = objects.map((object) => ({
    ...object,
    id: bundledId(object),
    content: async () => stream(object),
  }));
  return { record, caseKey, objects: bundled, acts: [] };
}

export function caseFileIn({ record, caseKey, objects }: Bundle): CaseFile {
  return {
    record,
    caseKey,
    objects,
    stream: (object) => {
      const found = objects.find(({ id }) => id === object.id);
      return streamFrom(contentOf(found));
    },
  };
}

/** By the same rules as in the store, so that a refusal comes now and not at the import. */
export function withMessage(bundle: Bundle, message: SealedMessage, now: number): Bundle {
  const { record, acts, objects } = bundle;
  const { seq, sealed, act, callAct } = message;
  demandState(record, WRITABLE);
  const call = callAct ? callAfter(record, callAct, 'desk') : record.call;
  const state = act ? stateAfter(record, act, 'desk') : record.state;
  return {
    ...bundle,
    record: {
      ...record,
      call,
      state,
      purge_at: act ? purgeTime(state, now, record.keep_days) : record.purge_at,
    },
    objects: [...objects, freshObject({ kind: messageKinds.desk, seq, keptAt: now }, inMemory(sealed))],
    acts: [...acts, { act: act ?? 'message', seq, offers_call: callAct === 'offer' }],
  };
}

export function withDelivery(
  bundle: Bundle,
  finding: Uint8Array,
  files: readonly SealedContent[],
  now: number,
): Bundle {
  const { record, acts, objects } = bundle;
  const state = stateAfter(record, 'deliver', 'desk');
  const attached = files.map((file, seq) => freshObject({ kind: 'finding-file.v1', seq, keptAt: now }, file));
  return {
    ...bundle,
    record: { ...record, state, delivered_at: now, purge_at: purgeTime(state, now, record.keep_days) },
    objects: [
      ...objects,
      freshObject({ kind: 'finding.v1', seq: 0, keptAt: now }, inMemory(finding)),
      ...attached,
    ],
    acts: [...acts, { act: 'deliver' }],
  };
}

/** Whether an object came with an act, and not from the store. */
export function isFresh({ acts }: Bundle, { kind, seq }: Pick<StoredObject, 'kind' | 'seq'>): boolean {
  return acts.some((each) =>
    each.act === 'deliver'
      ? kind === 'finding.v1' || kind === 'finding-file.v1'
      : kind === messageKinds.desk && seq === each.seq,
  );
}

/** In a bundle, kind and place are name enough. */
export function bundledId({ kind, seq }: Pick<StoredObject, 'kind' | 'seq'>): string {
  return `${kind} ${seq}`;
}

function freshObject(
  place: Pick<StoredObject, 'kind' | 'seq' | 'keptAt'>,
  sealed: SealedContent,
): BundledObject {
  return { id: bundledId(place), ...place, ...sealed };
}

function inMemory(bytes: Uint8Array): SealedContent {
  return { size: bytes.length, content: async () => ReadableStream.from([bytes]) };
}

async function* contentOf(object: BundledObject | undefined): AsyncGenerator<Uint8Array> {
  if (object) yield* await object.content();
}
