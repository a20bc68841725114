/** One case over HTTP: its sealed key and envelopes at once, its files in pieces. */
import { recordCaseReading } from '#cases/desk/audited-change.ts';
import { describeQueuedCase } from '#cases/desk/desk-queue.ts';
import { readEnvelopes, requireWholeCase } from '#cases/sealing/sealed-case.ts';
import { requireCase } from '#cases/states.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { CASE_OBJECT_KINDS, isSealedFileKind, type SealedKind } from '#seal/core/header.ts';
import { findLastAuditEntry } from '#store/audit-log.ts';
import type { Case } from '#store/cases/cases.ts';
import { findCaseObjectId, findObjectPiece, type StoredObject } from '#store/cases/objects.ts';
import type { WholeCase } from '#store/cases/whole-case.ts';
import type { DeskCaseFile } from '#wire/desk-cases.ts';
import { DESK_CASE_PATH, type DeskCaseParams, OBJECT_PIECE_PATH, toDeskCase } from './case-view.ts';
import type { DeskServices } from './desk-services.ts';
import { type Investigator, requireInvestigator, toDeskViewer } from './guard.ts';

/** Requests within this time count as one visit: a desk rereads a case before it writes, and gets files in pieces. */
const VISIT_MS = 10 * MINUTE_MS;

interface PieceParams extends DeskCaseParams {
  readonly kind: SealedKind;
  readonly seq: string;
  readonly piece: string;
}

export function addDeskCaseFileRoutes(scope: App, services: DeskServices): void {
  const { clock, store } = services;
  scope.get<{ Params: DeskCaseParams }>(DESK_CASE_PATH, { config: { access: 'desk' } }, async (request) =>
    readCaseFile(services, request.params.case, requireInvestigator(request)),
  );
  scope.get<{ Params: PieceParams }>(
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
