/** What callers may do with their cases: list, read, retain longer, withdraw. */
import { type Static, Type } from 'typebox';
import { deriveCaseViewer, requireOwnCase } from '#cases/access.ts';
import { readOwnCase } from '#cases/sealing/sealed-case.ts';
import { ensureWithdrawn, updateKeepDays } from '#cases/states.ts';
import { ServiceError } from '#platform/errors.ts';
import { describeObject } from '#platform/http/shapes.ts';
import { readListPage } from '#platform/page-cursor.ts';
import type { Services } from '#services.ts';
import { type Case, type CaseViewer, listCasesForViewer } from '#store/cases/cases.ts';
import type { RecordOwner } from '#store/owner.ts';
import type { Records } from '#store/schema/tables.ts';
import { hashDocument, listsEtag } from '#view/document-version.ts';
import {
  type CaseDetail,
  CaseSummary,
  type KeepDaysSchema,
  toCaseDetail,
  toCaseSummary,
} from './case-view.ts';
import {
  createPageInputSchema,
  createPageQuerySchema,
  NextCursor,
  type PageQuery,
  parsePageQuery,
} from './list-pages.ts';

type CaseServices = Pick<Services, 'clock' | 'keyring' | 'store'>;

const pageSizes = { default: 20, max: 100 } as const;
export const CasePageQuery = createPageQuerySchema(pageSizes);
export const CaseListInput = createPageInputSchema(pageSizes);
export const CaseList = describeObject(
  {
    cases: Type.Array(CaseSummary, { maxItems: pageSizes.max, description: 'Newest first.' }),
    next: NextCursor,
  },
  { title: 'CaseList' },
);

export async function listCallerCases(
  services: CaseServices,
  caller: RecordOwner,
  query: PageQuery,
): Promise<Static<typeof CaseList>> {
  const pageRequest = parsePageQuery(query, pageSizes);
  const viewer = await deriveCaseViewer(services, caller);
  const now = services.clock.now();
  const { rows, next } = await readListPage(
    pageRequest,
    (page) => listCasesForViewer(services.store.records, viewer, page, now),
    ({ submitted_at }) => submitted_at,
  );
  return { cases: rows.map((record) => toCaseSummary(record, now)), ...(next === null ? {} : { next }) };
}

export async function readCallerCase(
  services: CaseServices,
  caller: RecordOwner,
  caseId: string,
): Promise<Static<typeof CaseDetail>> {
  const viewer = await deriveCaseViewer(services, caller);
  const now = services.clock.now();
  return toCaseDetail(await readOwnCase(services.store, caseId, viewer, now), now);
}

export function computeCaseEtag(detail: Static<typeof CaseDetail>): string {
  return `"${hashDocument(JSON.stringify(detail))}"`;
}

export async function setCallerRetention(
  services: CaseServices,
  caller: RecordOwner,
  { caseId, keepDays }: { readonly caseId: string; readonly keepDays: Static<typeof KeepDaysSchema> },
): Promise<Static<typeof CaseSummary>> {
  return await updateCallerCase(services, caller, caseId, (records, record, now) =>
    updateKeepDays(records, record, keepDays, now),
  );
}

/** `condition` is the If-Match header; it is ignored for a case that is already withdrawn. */
export async function withdrawCallerCase(
  services: CaseServices,
  caller: RecordOwner,
  caseId: string,
  condition?: string,
): Promise<Static<typeof CaseSummary>> {
  return await updateCallerCase(services, caller, caseId, async (records, record, now, viewer) => {
    if (condition !== undefined && record.state !== 'withdrawn') {
      const { shredKeys } = services.store;
      const detail = toCaseDetail(await readOwnCase({ records, shredKeys }, caseId, viewer, now), now);
      if (!listsEtag(condition, computeCaseEtag(detail))) throw new ServiceError('precondition_failed');
    }
    return await ensureWithdrawn(records, record, now);
  });
}

async function updateCallerCase(
  services: CaseServices,
  caller: RecordOwner,
  caseId: string,
  change: (records: Records, record: Case, now: number, viewer: CaseViewer) => Promise<Case>,
): Promise<Static<typeof CaseSummary>> {
  const { clock, store } = services;
  const viewer = await deriveCaseViewer(services, caller);
  const changed = await store.transaction(async (records) =>
    change(records, await requireOwnCase(records, caseId, viewer, clock.now()), clock.now(), viewer),
  );
  return toCaseSummary(changed, clock.now());
}
