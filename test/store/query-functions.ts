/** Loads the exported query functions of the store, found in its source, with sample arguments for each. */
import { globSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { ENDED_STATES, OPEN_STATES } from '#cases/states.ts';
import { DUE_NAMES, EXPIRED_NAMES } from '#store/due-work.ts';
import type { IdempotentRequest } from '#store/idempotent-request.ts';
import { CAPPED_KINDS } from '#store/limits/storage-caps.ts';
import type { Records } from '#store/schema/tables.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import { testKeyring } from './engines.ts';

export type QueryFunction = (records: Records, ...values: readonly unknown[]) => unknown;

const folder = new URL('../../src/store/', import.meta.url);
const EXPORTED =
  /export (?:(?:async )?function\*? (?!create)(\w+)(?:<[^(]*>)?\(\s*records: (?:Records\b|Kysely<Tables>|Transaction<Tables>)|const (\w+) = (?:prepareFind|updateBy|deleteBy)\()/g;
/** Functions that only insert their arguments, and search for nothing. */
const WRITES_ONLY = /^(insert|enqueue|upsert)[A-Z]/;

export async function loadQueryFunctions(): Promise<ReadonlyMap<string, QueryFunction>> {
  const found = new Map<string, QueryFunction>();
  for (const file of globSync('**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] })) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    const names = [...source.matchAll(EXPORTED)].map(([, written, prepared = '']) => written ?? prepared);
    if (names.length === 0) continue;
    const module = (await import(pathToFileURL(new URL(file, folder).pathname).href)) as Record<
      string,
      unknown
    >;
    for (const name of names) if (!WRITES_ONLY.test(name)) found.set(name, module[name] as QueryFunction);
  }
  return found;
}

export const NOW = Date.now();
const page = { limit: 50 };
const nextPage = { limit: 50, after: { at: NOW, id: 'x' } };
const draftForm = { keyring: testKeyring, sessionId: 'x', now: NOW };
const due = { stage: 'late', states: OPEN_STATES, dueBy: NOW };
const request: IdempotentRequest = { keyTag: 'x', bodyTag: 'x' };
const ciphertext = Buffer.from('x');
const purged = { id: 'x', uploaders: ['x', 'y'] };

/** The views of the desk's queue, each with and without a tier. */
const queueViews = [
  { states: OPEN_STATES, withOnHold: true, assignee: 'x' },
  { states: CASE_STATES, awaitingReply: true },
  { states: OPEN_STATES, dueBefore: NOW },
  { states: OPEN_STATES, assignee: null, alsoAssignedTo: ['x'] },
  { states: OPEN_STATES },
  { states: ENDED_STATES, purgeAsked: true },
].flatMap((choice) => [choice, { ...choice, tier: 'Trace' }]);

/** Several lists of arguments for a function whose query depends on them, and one if they are not just ids. */
export const sampleArguments: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  claimWebhookEvent: [[{ kinds: ['order', 'test'], now: NOW, busyTags: ['x', 'y'], until: NOW }]],
  deleteCaseWebhooks: [[['x', 'y']]],
  deleteOrderWebhooks: [[['x', 'y']]],
  deleteQueuedEvents: [[['x', 'y']]],
  findClientWebhook: [[testKeyring, 'x']],
  findWordsSalt: [[request]],
  hasDueWebhookEvents: [
    [{ kinds: ['case', 'test'], now: NOW, busyTags: [] }],
    [{ kinds: ['case', 'test'], now: NOW, busyTags: ['x', 'y'] }],
  ],
  isWebhookEventClaimed: [[{ id: 'x', claimed_until: NOW }]],
  isWebhookInState: [[{ id: 'x', state: 'ending' }]],
  listDueCaseWebhooks: [[NOW, 50]],
  listUnsettledWebhooks: [[{ after: 'x', limit: 50 }]],
  postponeWebhookEvent: [[{ id: 'x', attempts: 1, dueAt: NOW }]],
  postponeQueuedEvents: [['x', NOW]],
  selectDatabaseTime: [[{ timeQuery: 'select 1 as now' }]],
  updateWebhook: [['x', { last_on: NOW }]],
  updateCaseWebhook: [['x', { due_at: NOW }]],
  appendAuditEntry: [[{ by: 'x', act: 'read', subject: { kind: 'case', id: 'x' } }, NOW]],
  addToCase: [
    [
      { id: 'x', kind: 'finding.v1', seq: 0, bytes: ciphertext, now: NOW },
      { record: { id: 'x', state: 'received', call: 'none' }, now: NOW },
    ],
  ],
  appendReading: [[{ by: 'x', caseId: 'x' }, NOW]],
  clearAuditEntries: [[['x', 'y']]],
  listAuditChain: [[{ after: 1, limit: 100 }]],
  listAuditEntries: [
    [{ limit: 50 }],
    [{ limit: 50, before: 10 }],
    [{ limit: 50, before: 10, subjectId: 'x' }],
  ],
  bindObject: [
    [
      { id: 'x', uploader: 'x' },
      { caseId: 'x', kind: 'finding.v1', seq: 0, size: 1, now: NOW },
    ],
  ],
  bindOrderSession: [['x', { tag: 'y', ciphertext }]],
  claimDueNotices: [[{ now: NOW, toldAt: NOW, limit: 100 }]],
  claimDueReturnLinks: [[{ now: NOW, limit: 100 }]],
  claimIdempotencyKey: [[request, 'x', NOW]],
  claimOrdersToCheck: [[{ now: NOW, until: NOW, limit: 50 }]],
  claimOutboxEntries: [[{ topics: ['x', 'y'], worker: 'x', now: NOW, leaseMs: 1, limit: 10 }]],
  countOpenForms: [[NOW]],
  countOpenOffers: [[NOW]],
  countOwnedRows: [
    ['orders', 'x'],
    ['cases', 'x'],
  ],
  countRows: [['cases']],
  countShortLived: [['tokens'], ['idempotency']],
  deleteMasterKeys: [[[]], [[{ tag: 'x', sealed_at: NOW }]]],
  deleteSealedRow: [['kept_secrets', 'x']],
  deleteShortLived: [
    ['tokens', 100],
    ['idempotency', 100],
  ],
  findMasterKeyFault: [[testKeyring]],
  findTaggedId: [
    ['users', { words_tag: 'x' }, 'y'],
    ['webhooks', { client_tag: 'x' }, 'y'],
  ],
  listValues: [[['cases', 'lookup_hash']], [['users', 'id']]],
  listSealedRows: [
    ['cases', { after: 'x', limit: 100 }],
    ['order_webhooks', { after: 'x', limit: 100 }],
  ],
  noteMasterKey: [[testKeyring, NOW]],
  replaceOwnerTag: [
    ['orders', { previous: 'x', owner: 'y', limit: 100 }],
    ['cases', { previous: 'x', owner: null, limit: 100 }],
  ],
  updateSealedRow: [['orders', 'x', { session_tag: 'y' }]],
  findPurgingCase: [[purged, { wordsTag: 'x', limit: 8 }]],
  replaceByTombstone: [
    [
      purged,
      {
        id: 'x',
        tier: 'Trace',
        month: '2026-11',
        outcome: 'delivered',
        lookup_hash: 'x',
        purged_on: '2026-11-09',
        forget_at: NOW,
      },
      [{ period: '2026-11-09', what: 'sent Trace' }],
    ],
  ],
  listCaseCounts: [['2026-11']],
  listCountedCases: [[NOW]],
  markCaseForPurge: [
    ['x', { states: ENDED_STATES, now: NOW }],
    ['x', { states: ENDED_STATES, now: NOW, by: 'x' }],
  ],
  clearTombstoneLookups: [[NOW, 100]],
  closeContactMessage: [['x', { doneAt: NOW, purgeAt: NOW }]],
  consumeSignInGuess: [['x', NOW]],
  consumeToken: [['x', NOW]],
  countAlertedCases: [['x', OPEN_STATES]],
  countCaseObjects: [
    [
      ['x', 'y'],
      ['buyer-message.v1', 'desk-message.v1'],
    ],
  ],
  countCasesDueBetween: [[OPEN_STATES, { after: 0, before: NOW }]],
  countCasesInState: [['received'], ['in_progress']],
  countCasesToReseal: [['set'], ['set', 100]],
  countChoices: [[{ open: { states: OPEN_STATES, assignee: null, alsoAssignedTo: ['x'] } }, NOW]],
  countChosenCases: [{ states: OPEN_STATES, withOnHold: true }, ...queueViews].map((choice) => [choice, NOW]),
  countDueCases: [[NOW]],
  countDueRefunds: [[NOW]],
  replaceRefund: [[{ id: 'x', sealed: new Uint8Array([1]) }]],
  listRefunds: [[{ after: 'x', limit: 51 }, NOW]],
  countOutbox: [[NOW]],
  countShortCodes: [['x', NOW]],
  countCasesAwaitingReply: [[CASE_STATES]],
  countOrdersToReview: [[1_000]],
  deleteCaseObjects: [[purged, 16]],
  deleteClientAccessTokens: [['x', 100]],
  deleteAuditedRows: [['orders', { execute: async () => [{ id: 'x' }] }]],
  deleteDigestLines: [[['x', 'y']]],
  deleteDraftHalf: [[draftForm]],
  deleteExpiredRows: EXPIRED_NAMES.map((name) => [name, NOW, 100]),
  findDueQueues: [
    [{ topics: ['x', 'y'], noticeTopic: 'z', kinds: ['order', 'test'], now: NOW }],
    [{ topics: ['x', 'y'], noticeTopic: null, kinds: ['test'], now: NOW }],
  ],
  findDueRows: DUE_NAMES.map((name) => [[name], { now: NOW, ordersKeepDays: 1_000 }]),
  deleteHandledContactMessages: [[50]],
  deleteOldestSignInCodes: [[NOW, 50]],
  deleteRejectedRegistrations: [[50]],
  deleteSelected: [['outbox', 'id', sql`'x'`]],
  deleteSettledOrders: [[0, 100]],
  deleteStagedObject: [[1, 16]],
  deleteUpload: [['x', 16]],
  deleteAbandonedSignIns: [[100]],
  deleteUnchangedOrder: [[{ id: 'x', revision: 1, session_tag: null }]],
  discardCaseObjects: [
    ['x', ['finding.v1', 'finding-file.v1']],
    ['x', ['desk-message.v1'], { isLastOnly: true }],
  ],
  discardOutboxEntry: [[{ id: 'x', worker: 'x', reason: 'x', now: NOW }]],
  dropOutboxEntry: [['x', NOW]],
  findCaseObjectId: [[{ caseId: 'x', kind: 'message.v1', seq: 0 }]],
  findCase: [['x', NOW]],
  findCaseByLookup: [['x', NOW]],
  findCaseForViewer: [['x', { owner: 'x', words_tag: 'x' }, NOW]],
  findNearestCase: [['x', NOW]],
  findEarlierRecordId: [[request, NOW]],
  findEarliestPurge: [['cases'], ['contact_messages']],
  findLongCodeId: [['x', NOW]],
  findObjectPiece: [['x', 0]],
  findOldestAwaitingReply: [[CASE_STATES]],
  findOrCreateUser: [[{ address_tag: 'x' }, { id: 'x', address_tag: 'x', created_at: NOW }]],
  findToken: [['AccessToken', 'x']],
  findTokenByUid: [['Session', 'x']],
  findUserId: [[{ address_tag: 'x' }], [{ words_tag: 'x' }]],
  hasCasesToAlert: [[due], [{ ...due, stage: 'due' }]],
  holdUnusedOrders: [[NOW]],
  listCasesByDue: [page, nextPage].flatMap((one) => [
    [{ states: OPEN_STATES, withOnHold: true }, one, NOW],
    [{ states: CASE_STATES }, one, NOW],
    ...queueViews.map((choice) => [choice, one, NOW]),
  ]),
  listCaseIdsByBeginning: [
    [['abc', 'abd'], NOW],
    [['abcdef'], NOW],
  ],
  listChangedCases: [page, nextPage].map((one) => [NOW, one, NOW]),
  listCasesForViewer: [
    [{ owner: 'x', words_tag: 'x' }, page, NOW],
    [{ owner: 'x', words_tag: null }, nextPage, NOW],
  ],
  listCasesToReseal: [['x', { after: '', limit: 50 }]],
  listCasesWithoutKey: [[{ inspect: () => Promise.resolve([]) }]],
  deleteDigestLine: [[{ who: null, act: 'decline', had_by: 'x', due_at: NOW }]],
  listDigestLines: [[NOW]],
  listOldestOrders: [['pending', 50]],
  listOpenContactMessages: [[page], [nextPage]],
  listOrdersByOwner: [
    ['x', page],
    ['x', nextPage],
  ],
  listOutboxEntries: [[page], [nextPage]],
  listMarkedCases: [[50]],
  listOwnerTags: [['orders'], ['cases']],
  listRegistrations: [
    ['pending', page],
    [undefined, page],
    ['rejected', nextPage],
  ],
  listStaleObjects: [[NOW, 50]],
  listOrdersToReview: [[page], [nextPage]],
  listUserGrants: [['x', { now: NOW, limit: 50 }]],
  markCasesForPurge: [[NOW, 50]],
  makeReturnLinkDue: [[{ id: 'x', now: NOW, after: 0 }]],
  matchesStoredObject: [['x', ciphertext]],
  measureStorageUse: CAPPED_KINDS.map((kind) => [kind]),
  postponeReturnLink: [[{ id: 'x' }, NOW]],
  postponeOrderCheck: [['x', NOW]],
  postponeOutboxEntry: [[{ id: 'x', worker: 'x', reason: 'x', until: NOW }]],
  readDraftHalf: [[draftForm]],
  readObjects: [[['x', 'y']]],
  readInstallationSides: [[{ readInstallation: () => Promise.resolve(null) }]],
  reassignIdempotencyKey: [[request, 'x']],
  recordBackup: [['records', NOW]],
  recordCaseAlerts: [
    ['x', due],
    ['x', { ...due, stage: 'due' }],
  ],
  recordProviderEvent: [['x', NOW]],
  recordTermsText: [[{ version: 'x', text: 'x', now: NOW }]],
  recallOrderChecks: [[NOW, 10]],
  redeemOrder: [
    [{ sessionTag: 'x', id: null, owner: null, livemode: 0 }],
    [{ sessionTag: null, id: 'x', owner: 'x', livemode: 0 }],
  ],
  replaceObject: [[{ id: 'x', caseId: 'x', bytes: new Uint8Array(10) }]],
  replaceCaseKey: [['x', { previous: ciphertext, ciphertext, sealedTo: 'x' }]],
  replaceRecipientSet: [['x', { tag: 'y', members: '[]' }]],
  // Queries only the names of tables.
  requireShredTables: [],
  retryOutboxEntry: [['x', NOW]],
  stagePiece: [
    [
      { objectId: 'x', piece: 0, bytes: ciphertext },
      { uploader: 'x', now: NOW, most: 10 },
    ],
  ],
  stageObject: [[{ id: 'x', uploader: 'x', now: NOW }]],
  updateCaseIfUnchanged: [[{ id: 'x', state: 'received', call: 'none' }, { call: 'offered' }]],
  updateClient: [['x', { status: 'active' }]],
  updateLastSeenTime: [[NOW, 0]],
  updateDigestSlot: [[1]],
  updateNotice: [['x', { due_at: NOW }]],
  updateOrderPayment: [
    [
      { id: 'x', revision: 1 },
      { to: 'paid', checkAt: null },
    ],
  ],
  updateRegistration: [['x', { status: 'rejected' }]],
};

export function listSamples(name: string, call: QueryFunction): readonly (readonly unknown[])[] {
  return sampleArguments[name] ?? [Array<string>(Math.max(1, call.length - 1)).fill('x')];
}
