/** The private feed of a case: whether something is new, and since which of the four hours, for whoever has its token. */
import { createHash } from 'node:crypto';
import { ServiceError } from '#platform/errors.ts';
import { SealError } from '#seal/seal-error.ts';
import { computeNewsHash } from '#seal/words.ts';
import type { Services } from '#services.ts';
import { type Case, findCaseByNews, updateCaseIfUnchanged } from '#store/cases.ts';
import { findLastDeskMessageTime } from '#store/notices.ts';
import { findSlotAfter, findSlotBefore, listNewsTimes } from './notice-times.ts';
import { applyCaseChange } from './states.ts';

export interface NewsFeed {
  readonly isNew: boolean;
  /** One of the four hours. */
  readonly updatedAt: number;
  /** The same for as long as nothing new comes. */
  readonly entryId: string;
  readonly feedId: string;
}

/** Null for an unknown token, and once the case is deleted. */
export async function readNewsFeed(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  token: string,
): Promise<NewsFeed | null> {
  const now = clock.now();
  const hash = computeNewsHashOrNull(token);
  const record = hash === null ? undefined : await findCaseByNews(store.records, hash, now);
  if (!record) return null;
  const deskWroteAt = await findLastDeskMessageTime(store.records, record.id);
  const told = listNewsTimes(record, deskWroteAt)
    .map(findSlotAfter)
    .filter((slot) => slot <= now);
  const begunAt = findSlotBefore(record.submitted_at);
  const updatedAt = Math.max(begunAt, ...told);
  return {
    isNew: told.length > 0,
    updatedAt,
    entryId: deriveUuid(`${token} ${updatedAt}`),
    feedId: deriveUuid(token),
  };
}

/** For a case that came without it. Returns the case as it is if it has it already. */
export async function recordNewsHash(
  services: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  newsHash: string,
): Promise<Case> {
  return await applyCaseChange(services, caseId, async (records, record) => {
    if (record.news_hash === newsHash) return record;
    const changed = await updateCaseIfUnchanged(records, record, { news_hash: newsHash });
    if (!changed) throw new ServiceError('case_changed');
    return changed;
  });
}

function computeNewsHashOrNull(token: string): string | null {
  try {
    return computeNewsHash(token);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Looks random to whoever lacks the token. RFC 9562 §5.8. */
function deriveUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
