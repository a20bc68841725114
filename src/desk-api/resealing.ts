/** Re-sealing over HTTP, for owners, when people change: the service adopts the configured keys, the desk re-seals. */

import { createFieldError } from '#cases/intake/field-problems.ts';
import { listNoteObjects } from '#cases/messages/notes.ts';
import {
  listSetInvestigators,
  parseRecipientSetMembers,
  readConfiguredSet,
} from '#cases/sealing/recipient-set.ts';
import {
  overwritePreviousKeys,
  readCasesToReseal,
  readSealedKey,
  recordKeyReading,
  replaceAdoptedSet,
  storeResealedCase,
} from '#cases/sealing/reseal.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { giveWay } from '#platform/turns.ts';
import { isResealedCase } from '#seal/case/resealed-case.ts';
import { countCasesToReseal } from '#store/cases/case-keys.ts';
import type { Case } from '#store/cases/cases.ts';
import { listCaseObjects } from '#store/cases/objects.ts';
import { findRecipientSet, type RecipientSet } from '#store/keys/recipient-set.ts';
import {
  type DeskRecipientSet,
  DeskResealingEndSchema,
  type DeskResealingPage,
  type DeskResealingQuery,
  DeskResealingQuerySchema,
  type DeskResealingRequest,
  DeskResealingRequestSchema,
  type DeskResealingResult,
  DeskSetQuerySchema,
  type DeskSetRequest,
  DeskSetRequestSchema,
  MAX_RESEALED_CASES,
  MAX_RESEALING_BYTES,
} from '#wire/desk-resealing.ts';
import { type DeskServices, OWNER_ACCESS, requireInvestigator } from './guard.ts';

export function addDeskResealingRoutes(scope: App, services: DeskServices): void {
  scope.get(
    '/sealing-set',
    { config: OWNER_ACCESS, schema: { querystring: DeskSetQuerySchema } },
    async (request) => await describeSets(services, request.query.set),
  );
  scope.post(
    '/sealing-set',
    { config: OWNER_ACCESS, schema: { body: DeskSetRequestSchema } },
    async (request) => {
      await adoptConfiguredSet(services, request.body, requireInvestigator(request).holder);
      return await describeSets(services, request.body.set);
    },
  );
  scope.get(
    '/resealing',
    { config: OWNER_ACCESS, schema: { querystring: DeskResealingQuerySchema } },
    async (request) => {
      await requireSetInUse(services, request.query.set);
      await recordKeyReading(services, requireInvestigator(request).holder);
      return await readPage(services, request.query);
    },
  );
  scope.put(
    '/resealing',
    {
      // An upload, because it may take minutes on a slow line: the desk cannot send less at a time.
      config: { ...OWNER_ACCESS, upload: true },
      bodyLimit: MAX_RESEALING_BYTES,
      schema: { body: DeskResealingRequestSchema },
    },
    async (request) => await storeCases(services, request.body, requireInvestigator(request).holder),
  );
  scope.post(
    '/resealing/end',
    {
      // On PostgreSQL this runs a vacuum, whose time grows with the table.
      config: { ...OWNER_ACCESS, answerMs: httpLimits.uploadMs },
      schema: { body: DeskResealingEndSchema },
    },
    async (request) => {
      await overwritePreviousKeys(services);
      return await describeSets(services, request.body.set);
    },
  );
}

async function describeSets(services: DeskServices, set?: string): Promise<DeskRecipientSet> {
  const { adopted, configured } = await readSets(services);
  const aim = set ?? configured?.tag ?? adopted?.tag;
  return {
    adopted: adopted && describeSet(adopted),
    configured: configured && describeSet(configured),
    left: aim === undefined ? 0 : await countCasesToReseal(services.store.records, aim),
  };
}

async function readSets(services: DeskServices) {
  return {
    adopted: (await findRecipientSet(services.store.records)) ?? null,
    configured: await readConfiguredSet(services, services.seal),
  };
}

/** Refuses any other set, for which every case would be listed. */
async function requireSetInUse(services: DeskServices, set: string): Promise<void> {
  const { adopted, configured } = await readSets(services);
  if (adopted?.tag !== set && configured?.tag !== set) throw new ServiceError('sealing_set_changed');
}

function describeSet(set: RecipientSet): NonNullable<DeskRecipientSet['adopted']> {
  return { set: set.tag, members: parseRecipientSetMembers(set) };
}

/** Changes nothing if the set is already adopted, because the request may be repeated. */
async function adoptConfiguredSet(
  services: DeskServices,
  { former: previous, set }: DeskSetRequest,
  by: string,
): Promise<void> {
  const configured = await readConfiguredSet(services, services.seal);
  if (configured?.tag !== set) throw new ServiceError('sealing_set_changed');
  const own = parseRecipientSetMembers(configured).find(
    ({ role, hash }) => role !== 'recovery' && hash === by,
  );
  // A person who is no longer an owner could not complete the work.
  if (!own || own.role === 'investigator') throw createFieldError('/set', 'does not include you as an owner');
  if ((await findRecipientSet(services.store.records))?.tag === set) return;
  await replaceAdoptedSet(services, previous ?? undefined, configured, by);
}

async function readPage(
  services: DeskServices,
  { set, after = '' }: DeskResealingQuery,
): Promise<DeskResealingPage> {
  const cases = await readCasesToReseal(services, set, { after, limit: MAX_RESEALED_CASES });
  return {
    cases: await Array.fromAsync(cases, (record) => describeSealedKey(services, record)),
    next: cases.at(-1)?.id ?? null,
  };
}

async function describeSealedKey(
  { store }: DeskServices,
  record: Case,
): Promise<DeskResealingPage['cases'][number]> {
  const sealed = await readSealedKey(store, record);
  const notes = listNoteObjects(await listCaseObjects(store.records, record.id));
  await giveWay();
  return {
    id: record.id,
    lookup_hash: record.lookup_hash,
    case_key: sealed && toBase64url(sealed),
    notes: notes.map(({ seq, size }) => ({ seq, size })),
  };
}

/** Checks all cases before the first is stored. */
async function storeCases(
  services: DeskServices,
  { set, cases }: DeskResealingRequest,
  by: string,
): Promise<DeskResealingResult> {
  const adopted = await findRecipientSet(services.store.records);
  if (adopted?.tag !== set) throw new ServiceError('sealing_set_changed');
  const desk = listSetInvestigators(adopted);
  const resealings = cases.map(({ id, former: previous, case_key: caseKey, notes, whole }) => ({
    id,
    previous,
    set,
    by,
    caseKey: Buffer.from(caseKey, 'base64url'),
    notes: notes.map(({ seq, sealed }) => ({ seq, sealed: Buffer.from(sealed, 'base64url') })),
    isWhole: whole,
  }));
  if (!resealings.every((resealing) => isResealedCase(resealing, desk))) throw new ServiceError('not_sealed');
  const changed: string[] = [];
  for (const resealing of resealings) {
    if (!(await storeResealedCase(services, resealing))) changed.push(resealing.id);
    await giveWay();
  }
  return { changed };
}
