/**
 * An office in memory with cases that are made up, for pages: beside `scripted-office.ts`, whose sealed parts over TLS
 * are for the client, it has many cases and changes at once.
 */

import type { DraftFields } from '#desk/keys/draft-file.ts';
import { dropFields, mergeDraft } from '#desk/keys/merged-draft.ts';
import type { DeskNote, DeskOpenedCase } from '#desk/office/case-reader.ts';
import type { DeskMessage } from '#desk/office/case-writer.ts';
import type { DeskOffice } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { buildCaseContent, type OpenedObject } from '#seal/case/case-content.ts';
import { listInquiryFiles } from '#seal/case/case-files.ts';
import { type CaseMessage, messageKinds } from '#seal/case/message.ts';
import type { Inquiry } from '#seal/form/inquiry.ts';
import { PLANTED_INQUIRY } from '#test/desk-api/planted-case.ts';
import { DESK_ACTS, type DeskCase, type DeskQueueQuery } from '#wire/desk-cases.ts';
import { createDeskCase } from './sealed-fixture.ts';

export const OWN_HOLDER = 'A'.repeat(43);
export const COLLEAGUE = 'B'.repeat(43);
const HOUR = 3_600_000;
const USUAL_ACTS = DESK_ACTS.filter(
  (act) => !['take_over', 'take_back', 'purge_now', 'undo_purge'].includes(act),
);

interface MadeUpCase {
  facts: DeskCase;
  news: DeskQueueEntry['news'];
  team?: DeskQueueEntry['team'];
  readonly inquiry: Inquiry;
  readonly messages: { readonly by: 'buyer' | 'desk'; readonly at: number; readonly content: CaseMessage }[];
  readonly notes: DeskNote[];
  isOpened: boolean;
  missing?: number;
}

export interface MadeUpOffice extends DeskOffice {
  readonly cases: Map<string, MadeUpCase>;
  readonly sent: unknown[];
  /** Cases whose text the desk has given up. */
  readonly closed: string[];
  isDown: boolean;
  addCase(id: string, facts?: Partial<DeskCase>, inquiry?: Partial<Inquiry>): MadeUpCase;
  writeAsBuyer(id: string, message: Partial<CaseMessage>): void;
}

export function createMadeUpOffice(now: () => number = Date.now): MadeUpOffice {
  const cases = new Map<string, MadeUpCase>();
  const drafts = new Map<string, DraftFields>();
  const keepDraft = (id: string, fields: DraftFields) =>
    void (Object.keys(fields).length > 0 ? drafts.set(id, fields) : drafts.delete(id));
  const requireReached = () => {
    if (office.isDown) throw new OfficeFault('unreachable', 'The office cannot be reached.');
  };
  const requireMade = (id: string): MadeUpCase => {
    requireReached();
    const found = cases.get(id);
    if (!found) throw new OfficeFault('case_unknown', 'There is no such case.');
    return found;
  };
  const updateFacts = (found: MadeUpCase, facts: Partial<DeskCase>): DeskCase => {
    found.facts = { ...found.facts, ...facts, changed_at: toTime(now()) };
    return found.facts;
  };
  const office: MadeUpOffice = {
    readContact: async () => ({ messages: [], next: null }),
    openContact: () => Promise.reject(new OfficeFault('refused', '')),
    resolveContact: async () => {},
    listOrders: async () => [],
    listRefunds: async () => [],
    listAgents: () => Promise.reject(new OfficeFault('owner_only', '')),
    decideAgent: () => Promise.reject(new OfficeFault('owner_only', '')),
    markOrderDone: async () => {},
    releaseOrder: async () => {},
    settleRefund: async () => {},
    cases,
    sent: [],
    closed: [],
    isDown: false,
    origin: 'https://office.example',
    holder: OWN_HOLDER,
    session: {
      holder: OWN_HOLDER,
      office: { version: '0.1.0', test: false },
      people: [
        { holder: OWN_HOLDER, name: 'Sam', role: 'owner', recipient: 'age1pq1own' },
        { holder: COLLEAGUE, name: 'Kim', role: 'investigator', recipient: 'age1pq1kim' },
      ],
      known: [
        { holder: OWN_HOLDER, name: 'Sam', role: 'owner' },
        { holder: COLLEAGUE, name: 'Kim', role: 'investigator' },
      ],
      recovery: 'R'.repeat(43),
      peopleChange: null,
    },
    signIn: async () => office.session!,
    signOut: async () => {},
    close: () => {},
    confirmPeople: async () => {},
    readQueue: async (query) => {
      requireReached();
      return listQueue([...cases.values()], query ?? {}, now());
    },
    readAudit: () => Promise.reject(new OfficeFault('refused', '')),
    acceptAudit: async () => {},
    readWeeks: async () => ({ counts: [], now: toTime(now()) }),
    readNumbers: () =>
      Promise.resolve({
        cases: { received: cases.size },
        unanswered: 0,
        due_within_a_day: 0,
        late: 0,
        contact: 0,
        refunds: 0,
        agents: null,
        orders: null,
        now: toTime(now()),
      }),
    readCase: (id, options?: { readonly marksSeen?: boolean }) => {
      const found = requireMade(id);
      const opened = openMadeUpCase(found, now());
      found.isOpened = true;
      if (options?.marksSeen !== false) found.news = null;
      return Promise.resolve(opened);
    },
    closeCase: (id) => void office.closed.push(id),
    streamFile: () =>
      Promise.resolve({
        name: 'offer-letter.pdf',
        mime: 'application/pdf',
        size: 5,
        kept_as_evidence: false,
        content: new Response('bytes').body!,
      }),
    readPartBytes: async () => new TextEncoder().encode('[]'),
    sendMessage: async (id, message) => {
      const found = requireMade(id);
      requireSeen(found, message);
      office.sent.push(message);
      const call =
        message.act === 'book_call'
          ? { at: toTime(message.at).slice(0, 16) + 'Z', zone: message.zone }
          : null;
      found.messages.push({ by: 'desk', at: now(), content: createMessage({ text: message.text, call }) });
      const until = toTime(now() + HOUR / 6);
      return updateFacts(found, {
        holder: OWN_HOLDER,
        unanswered_since: null,
        ...(message.act === 'ask' && { state: 'awaiting_client' }),
        ...(message.act === 'decline' && {
          state: 'declined',
          held_until: until,
          acts: ['note', 'take_back'],
        }),
        ...(call && { call: 'booked' }),
      });
    },
    addNote: async (id, text) => {
      const found = requireMade(id);
      found.notes.push({ seq: found.notes.length, at: now(), by: OWN_HOLDER, said: { text } });
      return updateFacts(found, {});
    },
    deliver: async (id, finding, onProgress) => {
      const found = requireMade(id);
      requireSeen(found, finding);
      office.sent.push(finding);
      onProgress?.({ sent: 10, total: 10 });
      const until = toTime(now() + HOUR / 6);
      return updateFacts(found, {
        state: 'delivered',
        delivered_at: until,
        held_until: until,
        acts: ['note', 'take_back'],
      });
    },
    act: async (id, act, to) => {
      const found = requireMade(id);
      office.sent.push(act);
      if (act === 'purge')
        return updateFacts(found, {
          state: 'declined',
          purge_at: toTime(now() + 24 * HOUR),
          purge_by: OWN_HOLDER,
          acts: ['undo_purge'],
        });
      if (act === 'undo_purge') return updateFacts(found, { purge_by: null, acts: ['purge'] });
      if (act === 'purge_now') {
        cases.delete(id);
        return null;
      }
      if (act === 'take_back' && found.facts.state === 'declined') found.messages.pop();
      if (act === 'take_back')
        return updateFacts(found, {
          state: 'in_progress',
          held_until: null,
          delivered_at: null,
          acts: [...DESK_ACTS],
        });
      if (act === 'hand_over') return updateFacts(found, { holder: to ?? null, handed_by: OWN_HOLDER });
      return updateFacts(found, { holder: act === 'let_go' ? null : OWN_HOLDER });
    },
    readDraft: async (id) => drafts.get(id) ?? null,
    readDraftTimes: async () => ({ get: (id) => (drafts.has(id) ? now() : undefined) }),
    saveDraft: async (id, draft) => keepDraft(id, mergeDraft(drafts.get(id) ?? {}, draft)),
    dropDraft: async (id, names) => keepDraft(id, dropFields(drafts.get(id) ?? {}, names)),
    takeUnsent: async () => [],
    addCase: (id, facts = {}, inquiry = {}) => {
      const made: MadeUpCase = {
        facts: createDeskCase({ id, acts: USUAL_ACTS, changed_at: toTime(now()), ...facts }, now() - HOUR),
        news: 'case',
        inquiry: { ...INQUIRY, ...inquiry },
        messages: [],
        notes: [],
        isOpened: false,
      };
      cases.set(id, made);
      return made;
    },
    writeAsBuyer: (id, message) => {
      const found = requireMade(id);
      found.messages.push({ by: 'buyer', at: now(), content: createMessage(message) });
      found.news = 'answer';
      updateFacts(found, {
        state: 'in_progress',
        unanswered_since: toTime(now()),
        ...(message.call_windows ? { call: 'proposed' } : {}),
      });
    },
  };
  return office;
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}

const INQUIRY: Inquiry = {
  ...PLANTED_INQUIRY,
  payment_ref: 'cs_test_a1B2c3D4e5F6g7H8i9J0kLmN9xQ2',
  question: 'Is the recruiter who wrote to me really from the company they name?',
  subject: 'A recruiter',
  call_number: '+33 1 99 00 12 34',
  files: [{ name: 'offer-letter.pdf', mime: 'application/pdf', size: 220_000, kept_as_evidence: false }],
};

function createMessage(message: Partial<CaseMessage>): CaseMessage {
  return {
    text: '',
    call_windows: [],
    call_number: '',
    call: null,
    act: null,
    keep_days: null,
    findings: null,
    author: null,
    files: [],
    seen: null,
    thread: null,
    ...message,
  };
}

function listQueue(
  all: readonly MadeUpCase[],
  { view = 'open', changed_since: since, limit = 50, after }: DeskQueueQuery,
  now: number,
) {
  const open = all.filter(({ facts }) => !['delivered', 'declined', 'withdrawn'].includes(facts.state));
  const views: Readonly<Record<string, readonly MadeUpCase[]>> = {
    open,
    mine: open.filter(({ facts }) => facts.holder === OWN_HOLDER),
    unanswered: open.filter(({ facts }) => facts.unanswered_since !== null),
    late: open.filter(({ facts }) => Date.parse(facts.due_at) < now),
    unassigned: open.filter(({ facts }) => facts.holder === null),
    ended: all.filter((each) => !open.includes(each)),
    purges: all.filter(({ facts }) => facts.purge_by !== null),
  };
  const countView = (name: string) => views[name]?.length ?? 0;
  const order = since === undefined ? 'due_at' : 'changed_at';
  const chosen = since === undefined ? views[view]! : all.filter(({ facts }) => facts.changed_at >= since);
  const sorted = chosen.toSorted((a, b) => a.facts[order].localeCompare(b.facts[order]));
  const page = sorted.slice(sorted.findIndex(({ facts }) => facts.id === after) + 1).slice(0, limit);
  const last = page.at(-1);
  return {
    cases: page.map(({ facts, news, team }) => ({ ...facts, news, ...(team ? { team } : {}) })),
    next: last === undefined || last === sorted.at(-1) ? null : last.facts.id,
    counts: {
      open: countView('open'),
      mine: countView('mine'),
      unanswered: countView('unanswered'),
      late: countView('late'),
      unassigned: countView('unassigned'),
    },
    now: toTime(now),
  };
}

function countBuyer({ messages }: MadeUpCase): number {
  return messages.filter(({ by }) => by === 'buyer').length;
}

function requireSeen(found: MadeUpCase, { seen }: Pick<DeskMessage, 'seen'>): void {
  if (countBuyer(found) > seen.buyer)
    throw new OfficeFault('case_changed', 'The buyer has written meanwhile.');
}

function openMadeUpCase(found: MadeUpCase, now: number): DeskOpenedCase {
  const next = { buyer: 0, desk: 0 };
  const objects: OpenedObject<number>[] = [
    { kind: 'inquiry.v1', seq: 0, at: 0, hash: new Uint8Array(), size: 0, part: { content: found.inquiry } },
  ];
  for (const { by, at, content } of found.messages) {
    const seq = next[by]++;
    if (by === 'buyer' && seq === found.missing) continue;
    objects.push({
      kind: messageKinds[by],
      seq,
      at,
      hash: new Uint8Array([seq]),
      size: 0,
      part: { content },
    });
  }
  return {
    facts: found.facts,
    content: buildCaseContent(objects),
    authors: new Map([[0, OWN_HOLDER]]),
    notes: found.notes,
    objects: [],
    files: listInquiryFiles(found.inquiry),
    fingerprint: '12345 67890 12345 67890',
    isFirstOpening: !found.isOpened,
    isGenuine: true,
    gaps: [],
    differences: [],
    seen: { buyer: countBuyer(found), desk: found.messages.length - countBuyer(found) },
    now,
  };
}
