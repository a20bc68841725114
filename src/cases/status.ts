/** How far a case has come, in words that a worried person can read. */
import type { Case } from '#store/cases.ts';

const HOUR_MS = 3_600_000;

export interface Status {
  readonly title: string;
  /** When the answer is due, by the clock and from now; null where nothing is due any more. */
  readonly clock: string | null;
  readonly sentence: string;
}

const words: Readonly<Record<Case['state'], readonly [title: string, sentence: string]>> = {
  received: ['We have your inquiry', 'An investigator will open it soon. You need not do anything.'],
  in_progress: ['An investigator is working on it', 'You need not do anything.'],
  awaiting_client: [
    'We have a question for you',
    'Please answer it below. The clock keeps running meanwhile.',
  ],
  delivered: ['Your answer is here', 'Read it below.'],
  declined: ['We could not take this case', 'The reason is below.'],
  withdrawn: ['You withdrew this case', 'It is erased within 24 hours.'],
  purged: ['This case was erased', 'Nothing of it is left.'],
};

const OPEN: readonly Case['state'][] = ['received', 'in_progress', 'awaiting_client'];

export function statusOf({ state, due_at: due }: Pick<Case, 'state' | 'due_at'>, now: number): Status {
  const [title, sentence] = words[state];
  return {
    title,
    sentence,
    clock: OPEN.includes(state) ? `Due ${timeText(due)}, ${fromNow(due - now)}` : null,
  };
}

/** In UTC, said so: the server does not know where the reader is. */
export function timeText(time: number): string {
  const date = new Date(time);
  const day = date.toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  return `${day}, ${date.toISOString().slice(11, 16)} UTC`;
}

function fromNow(ms: number): string {
  if (ms < 0) return `${hours(-ms)} late`;
  return `in ${hours(ms)}`;
}

function hours(ms: number): string {
  const count = Math.round(ms / HOUR_MS);
  if (count < 1) return 'less than an hour';
  return count === 1 ? '1 hour' : `${count} hours`;
}
