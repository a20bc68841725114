/** What an unlocked desk works with: the office, opened cases, drafts, waiting files, and the latest notice. */
import type {
  DeskFrameFacts,
  DeskNavName,
  DeskNews,
  DeskRequest,
  UnlockedDesk,
} from '#desk/loopback/page-route.ts';
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import type { DeskOffice } from '#desk/office/office-client.ts';
import { findFault, OfficeFault } from '#desk/office/office-fault.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { nameCase } from '#wire/case-name.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import type { DeskStaff } from './assignee-name.ts';
import { pickNextCase, toQueueQuery } from './case-queue.ts';
import { formatClockTime } from './desk-time.ts';
import { FindingFiles } from './finding-files.ts';
import { OfficeWatch, type WholeQueue } from './office-watch.ts';
import { OpenedCases, type OpenedVisit } from './opened-cases.ts';

export interface DeskWorkParts {
  readonly office: DeskOffice;
  /** Where files of cases are saved; null if the browser downloads them. */
  readonly outFolder: string | null;
  readonly templatesFolder: string | null;
}

/** Shown once, at the top of the next page. */
export interface DeskNotice {
  readonly strong: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly label: string };
}

/** A request for a page of the unlocked desk. */
export type WorkRequest = DeskRequest<DeskWork>;

export const OPEN_QUERY = toQueueQuery({ view: 'open', tier: null });

export class DeskWork implements UnlockedDesk {
  readonly office: DeskOffice;
  readonly outFolder: string | null;
  readonly templatesFolder: string | null;
  readonly watch: OfficeWatch;
  readonly opened: OpenedCases;
  readonly files = new FindingFiles();
  readonly readContacts = new Set<string>();
  /** When a file was saved, by case and place. */
  readonly savedFiles = new Map<string, number>();
  #notice: DeskNotice | null = null;
  readonly #underWay = new Map<string, unknown>();
  /** The number of waiting entries by page, without zeros. */
  readonly #counts = new Map<DeskNavName, number>();

  constructor({ office, outFolder, templatesFolder }: DeskWorkParts) {
    this.office = office;
    this.outFolder = outFolder;
    this.templatesFolder = templatesFolder;
    this.watch = new OfficeWatch(office);
    this.opened = new OpenedCases((id) => office.closeCase(id));
  }

  get staff(): DeskStaff {
    return { holder: this.office.holder, people: this.office.session?.known ?? [] };
  }

  describeFrame(): DeskFrameFacts {
    const { came = [], went = [], changed = [], recovery = null } = this.office.session?.peopleChange ?? {};
    this.recordCount('people', came.length + went.length + changed.length + (recovery === null ? 0 : 1));
    return {
      counts: { queue: 0, ...Object.fromEntries(this.#counts) },
      office: new URL(this.office.origin).host,
      answeredAt: this.watch.answeredAt,
      isReached: this.watch.isReached,
      isTestOffice: this.office.session?.office.test ?? false,
      clockAhead: this.watch.clockAhead,
      newsShown: this.watch.newsShown,
    };
  }

  describeNews(): DeskNews {
    void this.watch.refresh();
    const { answeredAt, isReached } = this.watch;
    return {
      numbers: this.watch.listNewsNumbers(),
      answeredAt: answeredAt && formatClockTime(answeredAt),
      isReached,
    };
  }

  async forget(): Promise<void> {
    this.opened.clear();
    this.files.clear();
    this.watch.clear();
    this.savedFiles.clear();
    this.readContacts.clear();
    this.#counts.clear();
    this.#notice = null;
    try {
      await this.office.signOut();
    } finally {
      this.office.close();
    }
  }

  /** All open cases, the earliest due first: for counts, and for the next case. */
  async readOpenQueue(): Promise<WholeQueue> {
    const queue = await this.watch.readWholeQueue(OPEN_QUERY);
    this.recordCount('queue', queue.counts.open);
    this.watch.markNewsShown();
    return queue;
  }

  /** Counts other than cases, for the navigation; no page fails without them. */
  async countWaiting(): Promise<void> {
    await findFault(async () => {
      const { contact, agents, orders, refunds } = await this.office.readNumbers();
      this.recordCount('contact', contact);
      this.recordCount('agents', agents ?? 0);
      this.recordCount('orders', (orders ?? 0) + refunds);
    });
  }

  /** Each opening asks the office, so that the page shows the current state. */
  async openCase(id: string): Promise<OpenedVisit> {
    const known = this.opened.get(id);
    const opened = await this.watch.ask(
      async () => {
        const now = await this.office.readCase(id);
        await this.#dropGiven(now);
        return now;
      },
      () => known?.opened,
    );
    this.watch.recordOnHold(opened.facts);
    return this.opened.record(opened, this.watch.readClock(), this.watch.takeNews(id));
  }

  /** Opens a case for lists and the search, without marking its news as seen. */
  async openUnseen(id: string): Promise<void> {
    const opened = await this.office.readCase(id, { marksSeen: false });
    this.opened.record(opened, null, this.watch.hasAnswer(id));
  }

  /** The investigator's own cases that were read before the desk was locked. */
  listClosedOwn(cases: readonly DeskQueueEntry[]): readonly DeskQueueEntry[] {
    const { holder } = this.office;
    return cases.filter(
      (each) => each.holder === holder && each.news !== 'case' && !this.opened.get(each.id),
    );
  }

  /** Records the office's answer to an act; null once the case is purged. */
  recordChange(id: string, facts: DeskCase | null): void {
    if (facts === null) {
      this.opened.discard(id);
      this.watch.discardOnHold(id);
      return;
    }
    this.watch.recordOnHold(facts);
    this.opened.recordFacts(facts);
  }

  /** Drops the answer's draft. One that differs or cannot be read stays: the office may show an older finding again. */
  async #dropGiven(opened: DeskOpenedCase): Promise<void> {
    const { id, held_until: heldUntil } = opened.facts;
    const answer = readGivenAnswer(opened);
    if (answer === null) return;
    const { kind, text } = answer;
    const draft = await this.office.drafts.read(id).catch(() => 'unreadable' as const);
    if (draft === 'unreadable') return;
    const isSame = (draft?.[kind] ?? text).trim() === text.trim();
    // A finding on hold may be taken back, with its files.
    if (isSame && kind === 'markdown' && heldUntil === null) this.files.discard(id);
    await this.office.drafts.dropSent(id, kind, text);
  }

  /** A second press while the first is under way gets the same result; `key` must cover everything that is sent. */
  beginOnce<Begun extends { readonly done: Promise<unknown> }>(key: string, begin: () => Begun): Begun {
    const running = this.#underWay.get(key) as Begun | undefined;
    if (running) return running;
    const begun = begin();
    this.#underWay.set(key, begun);
    const end = () => void this.#underWay.delete(key);
    begun.done.then(end, end);
    return begun;
  }

  recordCount(page: DeskNavName, count: number): void {
    if (count === 0) this.#counts.delete(page);
    else this.#counts.set(page, count);
  }

  /** Only owners see agents and orders. The office enforces that; this only predicts it. */
  async isOwner(): Promise<boolean> {
    const { people } = this.office.session ?? (await this.office.signIn());
    return people.some(({ holder, role }) => holder === this.office.holder && role === 'owner');
  }

  say(notice: DeskNotice): void {
    this.#notice = notice;
  }

  /** Puts texts that were typed when the desk was locked back into their fields; the next page says so. */
  async offerUnsent(): Promise<void> {
    const unsent = await this.office.drafts.takeUnsent();
    const last = unsent.at(-1);
    if (last === undefined) return;
    const names = [...new Set(unsent.map(({ caseId }) => nameCase(caseId)))];
    const page = last.fields['markdown'] === undefined ? '' : '/finding';
    this.say({
      strong: 'Your text was kept.',
      text: `What you wrote in ${names.join(', ')} when the desk was locked is in its field again. Before you send it, read the conversation: if you were sending it, it may have arrived.`,
      link: { href: `/cases/${last.caseId}${page}`, label: `Continue with ${nameCase(last.caseId)}` },
    });
  }

  takeNotice(): DeskNotice | null {
    const notice = this.#notice;
    this.#notice = null;
    return notice;
  }

  /** After an act, leads to the next case without opening it: the first own or unassigned case by due time. */
  async findNextPath(after: string): Promise<string> {
    try {
      const { all } = await this.readOpenQueue();
      const next = pickNextCase(all, this.office.holder, after);
      return next ? `/cases/${next.id}/closed` : '/queue';
    } catch (error) {
      if (error instanceof OfficeFault) return '/queue';
      throw error;
    }
  }
}

export interface GivenAnswer {
  readonly kind: 'decline' | 'markdown';
  readonly text: string;
  readonly files: readonly string[];
}

/** Also finds an answer that was sent from another machine. Null if there is none that can be read. */
export function readGivenAnswer({
  facts,
  content: { messages, finding },
}: Pick<DeskOpenedCase, 'facts' | 'content'>): GivenAnswer | null {
  if (facts.state === 'declined') {
    const reason = messages.findLast(({ by }) => by === 'desk')?.said;
    return reason && 'content' in reason ? { kind: 'decline', text: reason.content.text, files: [] } : null;
  }
  if (!finding || !('content' in finding)) return null;
  const { markdown, files } = finding.content;
  return { kind: 'markdown', text: markdown, files: files.map(({ name }) => name) };
}
