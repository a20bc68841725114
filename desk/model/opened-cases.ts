/** The cases that this desk has opened, only in memory: for lists, for news, and for searching. */
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import { ENGLISH } from '#language/languages.ts';
import { formatCaseMessage } from '#seal/case/message-text.ts';
import { toInquiryLines } from '#seal/form/inquiry-text.ts';
import { nameCase } from '#wire/case-name.ts';
import { sayText } from '#wire/said-text.ts';
import { buildCaseGist, type CaseGist } from './case-gist.ts';

export interface OpenedVisit {
  readonly opened: DeskOpenedCase;
  readonly gist: CaseGist;
  /** The number of the buyer's first message that was new when the investigator opened the case. */
  readonly newFrom: number;
  readonly lastLookAt: number | null;
  /** Null if it was opened without being shown. */
  readonly lookedAt: number | null;
}

export interface FoundCase extends Pick<OpenedVisit, 'opened' | 'gist'> {
  readonly excerpt: string;
}

/** More than an investigator works on in a day; the least recently opened is discarded first. */
export const MAX_OPENED_CASES = 300;
const EXCERPT_BEFORE = 40;
const EXCERPT_LENGTH = 140;

export class OpenedCases {
  readonly #visits = new Map<string, OpenedVisit>();
  readonly #onDiscard: (id: string) => void;

  /** `onDiscard` is called for a case that makes room for another. */
  constructor(onDiscard: (id: string) => void) {
    this.#onDiscard = onDiscard;
  }

  get(id: string): OpenedVisit | undefined {
    return this.#visits.get(id);
  }

  get gists(): ReadonlyMap<string, CaseGist> {
    return new Map([...this.#visits].map(([id, { gist }]) => [id, gist]));
  }

  /** `hasNews` is what the queue said before: the buyer has written since this key last opened the case. */
  record(opened: DeskOpenedCase, lookedAt: number | null, hasNews: boolean): OpenedVisit {
    const { id } = opened.facts;
    const before = this.#visits.get(id);
    const hasNew = before === undefined || opened.seen.buyer > before.opened.seen.buyer;
    const visit: OpenedVisit = {
      opened,
      gist: buildCaseGist(opened),
      newFrom: hasNew ? (before?.opened.seen.buyer ?? countKnown(opened, hasNews)) : before.newFrom,
      lastLookAt: hasNew ? (before?.lookedAt ?? null) : before.lastLookAt,
      lookedAt,
    };
    this.#visits.delete(id);
    this.#visits.set(id, visit);
    const [oldest] = this.#visits.keys();
    if (this.#visits.size > MAX_OPENED_CASES && oldest !== undefined) {
      this.#visits.delete(oldest);
      this.#onDiscard(oldest);
    }
    return visit;
  }

  /** Records the office's answer to an act, for use while the office cannot be reached. */
  recordFacts(facts: DeskOpenedCase['facts']): void {
    const visit = this.#visits.get(facts.id);
    if (visit) this.#visits.set(facts.id, { ...visit, opened: { ...visit.opened, facts } });
  }

  /** An investigator who answers has read everything. */
  markRead(id: string): void {
    const visit = this.#visits.get(id);
    if (visit) this.#visits.set(id, { ...visit, newFrom: visit.opened.seen.buyer });
  }

  discard(id: string): void {
    this.#visits.delete(id);
  }

  clear(): void {
    this.#visits.clear();
  }

  /** Finds the cases that contain all words, the last opened first. */
  search(text: string): FoundCase[] {
    const words = toSearchText(text).split(' ').filter(Boolean);
    if (words.length === 0) return [];
    return [...this.#visits.values()].toReversed().flatMap(({ opened, gist }) => {
      const title = toSearchText(`${nameCase(opened.facts.id)} ${opened.facts.id}`);
      const body = listTexts(opened).join(' \u2022 ').replace(/\s+/g, ' ');
      const found = toSearchText(body);
      if (!words.every((word) => title.includes(word) || found.includes(word))) return [];
      const place = found.indexOf(words.find((word) => found.includes(word)) ?? '\0');
      return [{ opened, gist, excerpt: place < 0 ? '' : cutExcerpt(body, place) }];
    });
  }
}

/** In a case that was last opened before the desk was unlocked, messages that still await an answer are new. */
function countKnown({ content, facts, isFirstOpening, seen }: DeskOpenedCase, hasNews: boolean): number {
  if (isFirstOpening || !hasNews || facts.unanswered_since === null) return seen.buyer;
  const since = Date.parse(facts.unanswered_since);
  return content.messages.find(({ by, at }) => by === 'buyer' && at >= since)?.seq ?? seen.buyer;
}

function cutExcerpt(text: string, place: number): string {
  const start = Math.max(0, place - EXCERPT_BEFORE);
  const cut = text.slice(start, start + EXCERPT_LENGTH);
  return `${start > 0 ? '…' : ''}${cut}${start + EXCERPT_LENGTH < text.length ? '…' : ''}`;
}

/** Rarely changes the length of a text whose white space is collapsed already, so that positions in both agree. */
export function toSearchText(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

function listTexts({ content, notes }: DeskOpenedCase): string[] {
  const { inquiry, messages, finding } = content;
  return [
    ...('content' in inquiry
      ? toInquiryLines(inquiry.content).map(({ text }) => sayText(ENGLISH, text))
      : []),
    ...messages.flatMap(({ said }) =>
      'content' in said ? [sayText(ENGLISH, formatCaseMessage(said.content))] : [],
    ),
    ...notes.flatMap(({ said }) => ('text' in said ? [said.text] : [])),
    ...(finding && 'content' in finding ? [finding.content.markdown] : []),
  ];
}
