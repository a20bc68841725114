/** Asks the office for the queue and remembers the last answer, so that it is available while the office is away. */
import type { DeskOffice } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { DeskQueueEntry, OfficeQueue } from '#desk/office/queue-reader.ts';
import { walkPages } from '#desk/office/waiting-lists.ts';
import { type DeskCase, type DeskQueueQuery, MAX_COUNTED } from '#wire/desk-cases.ts';
import { PAGE_CASES } from './case-queue.ts';
import { isEndedCase } from './due-clock.ts';

/** A delivery or a decline that can still be taken back. */
export interface AnswerOnHold {
  readonly id: string;
  readonly isDecline: boolean;
  readonly until: number;
}

export interface WholeQueue extends OfficeQueue {
  readonly all: readonly DeskQueueEntry[];
  /** False if there are more than were requested. */
  readonly isWhole: boolean;
}

const MAX_ANSWERS = 20;
/** Far more than a list has; an office with an endless list is refused. */
const MAX_PAGES = 100;
/** More than an office has at a time; any beyond that are not remembered. */
const MAX_NEWS = 1_000;
/** Open pages ask the desk more often than the desk asks the office. */
const REFRESH_MS = 15_000;

interface CaseNews {
  readonly kind: NonNullable<DeskQueueEntry['news']>;
  /** The number of the buyer's messages. */
  readonly messages: number;
  readonly number: number;
}

export class OfficeWatch {
  readonly #office: Pick<DeskOffice, 'readQueue'>;
  readonly #answers = new Map<string, OfficeQueue>();
  readonly #held = new Map<string, AnswerOnHold>();
  /** Cases with something that this key has not opened yet. */
  readonly #news = new Map<string, CaseNews>();
  #newsCount = 0;
  #newsShown = 0;
  /** All changes before this time, by the office's clock, are known. */
  #knownUntil: string | null = null;
  #refreshedAt = 0;
  #ahead = 0;
  #answeredAt: Date | null = null;
  #isReached = true;

  constructor(office: Pick<DeskOffice, 'readQueue'>) {
    this.#office = office;
  }

  get answeredAt(): Date | null {
    return this.#answeredAt;
  }

  /** Milliseconds by which the office's clock is ahead of this machine's. */
  get clockAhead(): number {
    return this.#ahead;
  }

  /** The number of the latest news that the list of open cases has shown. */
  get newsShown(): number {
    return this.#newsShown;
  }

  get isReached(): boolean {
    return this.#isReached;
  }

  /** By the office's clock, because due times are by that clock. */
  readClock(): number {
    return Date.now() + this.#ahead;
  }

  /** If the office is away and has never answered this query, returns `known`. */
  async readQueue(query: DeskQueueQuery, known?: OfficeQueue): Promise<OfficeQueue> {
    // The time changes with every request, but the query is the same.
    const key = JSON.stringify({ ...query, changed_since: query.changed_since !== undefined });
    const answer = await this.ask(
      async () => await this.#office.readQueue(query),
      () => this.#answers.get(key) ?? known,
    );
    this.#ahead = this.#isReached ? Date.parse(answer.now) - Date.now() : this.#ahead;
    this.#knownUntil ??= answer.now;
    this.#recordCases(answer.cases);
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  /** The first page of a list, and all that follow. */
  async readWholeQueue(query: DeskQueueQuery, known?: OfficeQueue, most = MAX_COUNTED): Promise<WholeQueue> {
    const walk = { list: 'queue', maxPages: MAX_PAGES };
    const pages: OfficeQueue[] = [];
    // By id: a case may move while the pages are read.
    const all = new Map<string, DeskQueueEntry>();
    for await (const page of walkPages(walk, (after) =>
      this.readQueue(after === undefined ? query : { ...query, after }, known),
    )) {
      pages.push(page);
      for (const each of page.cases) all.set(each.id, each);
      if (all.size >= most) break;
    }
    return { ...pages[0]!, all: [...all.values()], isWhole: pages.at(-1)!.next === null };
  }

  #recordCases(cases: readonly DeskQueueEntry[]): void {
    for (const each of cases) {
      this.recordOnHold(each);
      const { id, news, messages } = each;
      // A case that ended unread is not news, but a message in it is.
      const kind = news === 'case' && isEndedCase(each) ? null : news;
      const known = this.#news.get(id);
      if (kind === null) this.#news.delete(id);
      else if (known?.kind !== kind || known.messages !== messages.buyer) {
        if (known === undefined && this.#news.size >= MAX_NEWS) continue;
        this.#newsCount += 1;
        this.#news.set(id, { kind, messages: messages.buyer, number: this.#newsCount });
      }
    }
  }

  /** For a page that stays open. Ignores faults: the next page that asks will show them. */
  async refresh(): Promise<void> {
    const since = this.#knownUntil;
    if (since === null || Date.now() - this.#refreshedAt < REFRESH_MS) return;
    this.#refreshedAt = Number.POSITIVE_INFINITY;
    try {
      const query = { changed_since: since, limit: PAGE_CASES };
      const answer = await this.ask<OfficeQueue | null>(
        async () => await this.#office.readQueue(query),
        () => null,
      );
      if (answer === null) return;
      this.#recordCases(answer.cases);
      const last = answer.cases.at(-1);
      this.#knownUntil = answer.next !== null && last ? last.changed_at : answer.now;
    } catch {
    } finally {
      this.#refreshedAt = Date.now();
    }
  }

  /** Called when a list with all news so far is shown. */
  markNewsShown(): void {
    this.#newsShown = this.#newsCount;
  }

  listNewsNumbers(): number[] {
    return [...this.#news.values()].map(({ number }) => number);
  }

  /** If the office cannot be reached, falls back to the remembered answer; if there is none, throws the fault. */
  async ask<Value>(question: () => Promise<Value>, recall?: () => Value | undefined): Promise<Value> {
    try {
      const answer = await question();
      this.#answeredAt = new Date();
      this.#isReached = true;
      return answer;
    } catch (error) {
      if (!(error instanceof OfficeFault) || error.code !== 'unreachable') throw error;
      this.#isReached = false;
      const known = recall?.();
      if (known === undefined) throw error;
      return known;
    }
  }

  recordOnHold(facts: DeskCase): void {
    const { id, state, held_until: until, acts } = facts;
    if (until === null || !acts.includes('take_back')) this.#held.delete(id);
    else if (this.#held.size < MAX_NEWS || this.#held.has(id))
      this.#held.set(id, { id, isDecline: state === 'declined', until: Date.parse(until) });
  }

  /** Whether the queue said that the buyer has written. Clears the news, because the case is being opened. */
  takeNews(id: string): boolean {
    const isAnswer = this.hasAnswer(id);
    this.#news.delete(id);
    return isAnswer;
  }

  hasAnswer(id: string): boolean {
    return this.#news.get(id)?.kind === 'answer';
  }

  discardOnHold(id: string): void {
    this.#held.delete(id);
  }

  listOnHold(): AnswerOnHold[] {
    return [...this.#held.values()].filter(({ until }) => until > this.readClock());
  }

  clear(): void {
    this.#answers.clear();
    this.#held.clear();
    this.#news.clear();
  }
}
