/**
 * Cases over HTTP: a page of the queue, or what has changed since; of one case, the sealed key and the envelopes at once,
 * and the files in pieces.
 */

import { Type } from 'typebox';
import { recordCaseReading } from '#cases/desk/audited-change.ts';
import {
  describeQueuedCase,
  describeQueuedCases,
  type QueuedCase,
  readDeskQueue,
} from '#cases/desk/desk-queue.ts';
import { isAnswerOnHold } from '#cases/messages/buyer-view.ts';
import { readEnvelopes, requireWholeCase } from '#cases/sealing/sealed-case.ts';
import { isLateCase, requireCase } from '#cases/states.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { describeObject } from '#platform/http/shapes.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { ID_PATTERN } from '#platform/text/id-pattern.ts';
import { toIsoTime, toIsoTimeOrNull } from '#platform/text/iso-time.ts';
import { CASE_OBJECT_KINDS, isSealedFileKind, type SealedKind } from '#seal/core/header.ts';
import { findLastAuditEntry } from '#store/audit-log.ts';
import type { Case } from '#store/cases/cases.ts';
import { findCaseObjectId, findObjectPiece, type StoredObject } from '#store/cases/objects.ts';
import type { WholeCase } from '#store/cases/whole-case.ts';
import {
  type DeskActResult,
  type DeskCase,
  type DeskCaseFile,
  type DeskQueue,
  DeskQueueQuerySchema,
} from '#wire/desk-cases.ts';
import { type DeskServices, type Investigator, requireInvestigator, toDeskViewer } from './guard.ts';
import { parseDeskPage } from './lists.ts';

/** Every part of a path has a pattern, because the router itself would answer an overlong part. */
export const DESK_CASE_PATH = `/cases/:case(^${ID_PATTERN}$)`;
const OBJECT_PIECE_PATH = `${DESK_CASE_PATH}/objects/:kind(^[a-z][a-z0-9.-]{0,39}$)/:seq(^[0-9]{1,6}$)/pieces/:piece(^[0-9]{1,4}$)`;

export interface DeskCaseParams {
  readonly case: string;
}

/** Matches 1 to 200, because query parameters are strings. */
const LIMIT = '^([1-9][0-9]?|1[0-9][0-9]|200)$';

const Query = describeObject({
  ...DeskQueueQuerySchema.properties,
  changed_since: Type.Optional(Type.String({ maxLength: 40 })),
  limit: Type.Optional(Type.String({ pattern: LIMIT })),
});

/** Requests within this time count as one visit: a desk rereads a case before it writes, and gets files in pieces. */
const VISIT_MS = 10 * MINUTE_MS;

export function addDeskCaseFileRoutes(scope: App, services: DeskServices): void {
  const { clock, store } = services;
  scope.get<{ Params: DeskCaseParams }>(DESK_CASE_PATH, { config: { access: 'desk' } }, async (request) =>
    readCaseFile(services, request.params.case, requireInvestigator(request)),
  );
  scope.get<{ Params: DeskCaseParams & { kind: SealedKind; seq: string; piece: string } }>(
    OBJECT_PIECE_PATH,
    { config: { access: 'desk', produces: OCTET_STREAM, budget: 'pieces' } },
    async (request, reply) => {
      const { case: caseId, kind, seq, piece } = request.params;
      await requireCase(store.records, caseId, clock.now());
      const lastEntry = await findLastAuditEntry(store.records, caseId);
      await recordVisit(services, { id: caseId, lastEntry }, requireInvestigator(request));
      const objectId = await findCaseObjectId(store.records, { caseId, kind, seq: Number(seq) });
      const bytes = objectId === null ? null : await findObjectPiece(store.records, objectId, Number(piece));
      if (!bytes) throw new ServiceError('not_found');
      return reply.type(OCTET_STREAM).send(Buffer.from(bytes));
    },
  );
}

async function readCaseFile(
  services: DeskServices,
  id: string,
  investigator: Investigator,
): Promise<DeskCaseFile> {
  const now = services.clock.now();
  const { record, caseKey, objects, lastEntry } = await requireWholeCase(services.store, id, null, now);
  await recordVisit(services, { id, lastEntry }, investigator);
  const parts = objects.filter(isCaseObject);
  const envelopes = parts.filter(({ kind }) => !isSealedFileKind(kind));
  const sealed = await readEnvelopes(services, envelopes);
  return {
    case: toDeskCase(describeQueuedCase(record, countByKind(objects), toDeskViewer(investigator), now), now),
    case_key: toBase64url(caseKey),
    objects: parts.map(({ kind, seq, size, keptAt }) => ({ kind, seq, size, at: toIsoTime(keptAt) })),
    envelopes: envelopes.map(({ kind, seq, keptAt, author }, index) => {
      const part = { kind, seq, at: toIsoTime(keptAt), sealed: toBase64url(sealed[index]!) };
      return author ? { ...part, author } : part;
    }),
    now: toIsoTime(now),
  };
}

/** Counts up to the last number, including missing objects, because a number is never reused. */
function countByKind(objects: readonly StoredObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, seq } of objects) counts.set(kind, Math.max(counts.get(kind) ?? 0, seq + 1));
  return counts;
}

type CaseObjectKind = (typeof CASE_OBJECT_KINDS)[number];

function isCaseObject(object: StoredObject): object is StoredObject & { readonly kind: CaseObjectKind } {
  return (CASE_OBJECT_KINDS as readonly SealedKind[]).includes(object.kind);
}

/** Records each visit to a case as one entry in the audit log, before anything is sent. */
async function recordVisit(
  services: Pick<DeskServices, 'clock' | 'store'>,
  { id, lastEntry }: Pick<Case, 'id'> & Pick<WholeCase, 'lastEntry'>,
  { holder }: Pick<Investigator, 'holder'>,
): Promise<void> {
  if (lastEntry !== null && isOwnAndRecent(lastEntry, holder, services.clock.now())) return;
  await recordCaseReading(services, id, holder);
}

/** An entry that cannot be read counts as another investigator's. */
function isOwnAndRecent(entry: string, holder: string, now: number): boolean {
  try {
    const { by, at, act } = JSON.parse(entry) as Readonly<Record<string, unknown>>;
    const age = now - Date.parse(String(at));
    // Resealing every case does not count as a visit to any of them.
    return by === holder && act !== 'reseal' && age >= 0 && age < VISIT_MS;
  } catch {
    return false;
  }
}

function toDeskCase({ record, messages, acts }: QueuedCase, now: number): DeskCase {
  const { id, lookup_hash, tier, state, call, sealed_by, keep_days, finding_seq, assignee, purge_by } =
    record;
  return {
    id,
    lookup_hash,
    tier,
    state,
    call,
    sealed_by,
    keep_days,
    submitted_at: toIsoTime(record.submitted_at),
    due_at: toIsoTime(record.due_at),
    late: isLateCase(record, now),
    delivered_at: toIsoTimeOrNull(record.delivered_at),
    finding_seq,
    held_until: isAnswerOnHold(record, now) ? toIsoTimeOrNull(record.released_at) : null,
    purge_at: toIsoTimeOrNull(record.purge_at),
    purge_by,
    holder: assignee,
    handed_by: record.handed_by,
    taken_from: record.taken_from,
    unanswered_since: toIsoTimeOrNull(record.awaiting_reply_since),
    messages,
    changed_at: toIsoTime(record.changed_at),
    acts: [...acts],
  };
}

/** Returns null for a case that has been purged. */
export async function describeActResult(
  { clock, store }: Pick<DeskServices, 'clock' | 'store'>,
  record: Case | null,
  investigator: Pick<Investigator, 'holder' | 'role' | 'hasLeft'>,
): Promise<DeskActResult> {
  const now = clock.now();
  const cases = record ? [record] : [];
  const [queued] = await describeQueuedCases(store.records, cases, toDeskViewer(investigator), now);
  return { case: queued ? toDeskCase(queued, now) : null, now: toIsoTime(now) };
}

export function addDeskQueueRoutes(scope: App, services: DeskServices): void {
  scope.get(
    '/cases',
    { config: { access: 'desk' }, schema: { querystring: Query } },
    async (request): Promise<DeskQueue> => {
      const { view, tier, changed_since: since, begins, ...page } = request.query;
      const { cases, next, counts, now } = await readDeskQueue(services, {
        ...toDeskViewer(requireInvestigator(request)),
        view,
        tier,
        changedSince: since === undefined ? undefined : parseTime(since),
        beginnings: begins?.split(','),
        page: parseDeskPage(page),
      });
      return {
        cases: cases.map((queued) => toDeskCase(queued, now)),
        next,
        counts: { ...counts },
        now: toIsoTime(now),
      };
    },
  );
}

/** RFC 3339 in UTC, as all our times are. */
function parseTime(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new ServiceError('validation_failed', {
    errors: [{ parameter: 'changed_since', detail: 'must be a time such as 2026-11-15T09:00:00.000Z' }],
  });
}
