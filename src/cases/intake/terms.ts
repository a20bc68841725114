/** The terms that a sender agrees to: their version, earlier versions, and which version a sender may name. */
import { DAY_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import type { Services } from '#services.ts';
import { findTermsText, recordTermsText } from '#store/terms-texts.ts';

/** Matches current versions, and one from before texts were stored. */
const TERMS_VERSION = /^[0-9a-f-]{1,64}$/;

type TermsServices = Pick<Services, 'clock' | 'store' | 'terms'>;

/**
 * Called at the start and every hour. Instances with different texts each keep their own text in force, and a text that
 * is used again is in force again. Two texts have the same version only by design, to show one and mean the other.
 */
export async function recordTermsInForce({ clock, store, terms }: TermsServices): Promise<void> {
  await store.transaction((records) => recordTermsText(records, { ...terms, now: clock.now() }));
  const kept = await findTermsText(store.records, terms.version);
  if (kept && kept.text !== terms.text)
    throw new ProgramError(
      'terms.md: another text has this version already; change a word of it',
      EXIT_CODES.config,
    );
}

/** Null for a version that was never in force, and for anything else in an address or a request. */
export async function findPreviousTerms({ store }: Pick<Services, 'store'>, version: string) {
  return TERMS_VERSION.test(version) ? await findTermsText(store.records, version) : null;
}

/** Refuses a version that has been out of force for longer than a form stays open, and names the current one. */
export async function requireAcceptedTerms(services: TermsServices, version: string): Promise<void> {
  const { clock, terms } = services;
  if (version === terms.version) return;
  const previous = await findPreviousTerms(services, version);
  if (previous && clock.now() - previous.last_at < FORM_DAYS * DAY_MS) return;
  throw new ServiceError('terms_changed', {
    errors: [{ pointer: '/terms_version', detail: `The terms in force have the version ${terms.version}.` }],
  });
}
