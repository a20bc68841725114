/** A bundle: a whole sealed case that can be worked on without the database, and the actions taken there. */
import type { SealedMessage } from '#cases/messages.ts';
import { computePurgeTime } from '#cases/retention.ts';
import type { SealedCase } from '#cases/sealed-case.ts';
import { requireCaseState, requireNextCallState, requireNextState, WRITABLE_STATES } from '#cases/states.ts';
import { createByteStream } from '#seal/byte-stream.ts';
import { toFindingFileSeq } from '#seal/finding.ts';
import type { KeyPin } from '#seal/key-pin.ts';
import { messageKinds } from '#seal/message.ts';
import type { Case } from '#store/cases.ts';
import type { StoredObject } from '#store/objects.ts';
import type { ExportedCase } from './result-key.ts';

export interface BundledObject extends StoredObject {
  readonly content: () => Promise<ReadableStream<Uint8Array>>;
}

export interface BundledMessage {
  readonly act: 'message' | 'ask' | 'decline';
  readonly seq: number;
  readonly offers_call: boolean;
  readonly books_call?: boolean;
}

/** An action taken in the bundle; its sealed message or finding is among the objects. */
export type BundledAction = BundledMessage | { readonly act: 'deliver' };

export interface CaseBundle {
  /** The case after all actions. */
  readonly record: Case;
  readonly caseKey: Uint8Array;
  /** Sealed to the desk; authenticates the result. */
  readonly sealedResultKey: Uint8Array;
  /** What desks remember of the case key; each desk checks its own. */
  readonly pins: readonly KeyPin[];
  readonly objects: readonly BundledObject[];
  /** In order; empty in a fresh export. */
  readonly acts: readonly BundledAction[];
}

export interface SealedContent {
  readonly size: number;
  readonly content: () => Promise<ReadableStream<Uint8Array>>;
}

export function toBundle(
  { record, caseKey, objects, stream }: SealedCase,
  sealedResultKey: Uint8Array,
  pins: readonly KeyPin[],
): CaseBundle {
  const bundled = objects.map((object) => ({
    ...object,
    id: toBundledId(object),
    content: async () => stream(object),
  }));
  return { record, caseKey, sealedResultKey, pins, objects: bundled, acts: [] };
}

export function toExportedCase({ record, caseKey }: Pick<CaseBundle, 'record' | 'caseKey'>): ExportedCase {
  return { id: record.id, lookupHash: record.lookup_hash, caseKey };
}

export function toSealedCase({ record, caseKey, objects }: CaseBundle): SealedCase {
  return {
    record,
    caseKey,
    objects,
    stream: (object) => {
      const bundled = objects.find(({ id }) => id === object.id);
      return createByteStream(streamContent(bundled));
    },
  };
}

/** Applies the same rules as the store, so that a refusal comes now and not at the import. */
export function addMessageToBundle(bundle: CaseBundle, message: SealedMessage, now: number): CaseBundle {
  const { record, acts, objects } = bundle;
  const { seq, sealed, act, callAct } = message;
  requireCaseState(record, WRITABLE_STATES);
  const call = callAct ? requireNextCallState(record, callAct, 'desk') : record.call;
  const state = act ? requireNextState(record, act, 'desk') : record.state;
  return {
    ...bundle,
    record: {
      ...record,
      call,
      state,
      purge_at: act ? computePurgeTime(state, now, record.keep_days) : record.purge_at,
    },
    objects: [
      ...objects,
      createBundledObject({ kind: messageKinds.desk, seq, keptAt: now }, toSealedContent(sealed)),
    ],
    acts: [
      ...acts,
      {
        act: act ?? 'message',
        seq,
        offers_call: callAct === 'offer',
        ...(callAct === 'book' ? { books_call: true } : {}),
      },
    ],
  };
}

export function addDeliveryToBundle(
  bundle: CaseBundle,
  finding: Uint8Array,
  files: readonly SealedContent[],
  now: number,
): CaseBundle {
  const { record, acts, objects } = bundle;
  const state = requireNextState(record, 'deliver', 'desk');
  const seq = record.finding_seq;
  const attached = files.map((file, index) =>
    createBundledObject({ kind: 'finding-file.v1', seq: toFindingFileSeq(seq, index), keptAt: now }, file),
  );
  return {
    ...bundle,
    record: { ...record, state, delivered_at: now, purge_at: computePurgeTime(state, now, record.keep_days) },
    objects: [
      ...objects,
      createBundledObject({ kind: 'finding.v1', seq, keptAt: now }, toSealedContent(finding)),
      ...attached,
    ],
    acts: [...acts, { act: 'deliver' }],
  };
}

/** Whether an object was added by an action and was not exported from the store. */
export function isAddedInBundle(
  { acts }: CaseBundle,
  { kind, seq }: Pick<StoredObject, 'kind' | 'seq'>,
): boolean {
  return acts.some((action) =>
    action.act === 'deliver'
      ? kind === 'finding.v1' || kind === 'finding-file.v1'
      : kind === messageKinds.desk && seq === action.seq,
  );
}

/** Kind and number identify an object within its case. */
export function toBundledId({ kind, seq }: Pick<StoredObject, 'kind' | 'seq'>): string {
  return `${kind} ${seq}`;
}

function createBundledObject(
  position: Pick<StoredObject, 'kind' | 'seq' | 'keptAt'>,
  sealed: SealedContent,
): BundledObject {
  return { id: toBundledId(position), ...position, ...sealed };
}

function toSealedContent(bytes: Uint8Array): SealedContent {
  return { size: bytes.length, content: async () => ReadableStream.from([bytes]) };
}

async function* streamContent(object: BundledObject | undefined): AsyncGenerator<Uint8Array> {
  if (object) yield* await object.content();
}
