/** What would no longer be found without the former master key, in words. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { countFormerCodes } from '#oauth/sign-in/former-codes.ts';
import { HOUR_MS, SECOND_MS } from '#platform/durations.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import {
  countFormerEvents,
  countFormerForms,
  countFormerOffers,
  countFormerRequests,
  countFormerSignIns,
} from '#store/former-tags.ts';
import type { FormerMasterKey } from '#store/master-keys.ts';
import type { KeyedCliServices } from './cli-services.ts';
import { formatCount } from './count-text.ts';

/** The longest time between two notes of an instance about the key that it seals with. */
const NOTE_MS = HOUR_MS;

/** What is counted, and the rest of the sentence, which fits one as well as many. */
const sentences = {
  orders: ['orders', 'of programs or people that are gone'],
  cases: ['cases', 'of programs or people that are gone, which the words still open'],
  users: [
    'users',
    'with two entries, because two instances did not know each other’s key; the newer one stays',
  ],
  unreadable: ['rows', 'that no key opens'],
  forms: ['paid orders', 'without an inquiry, found only at the address that the payment page leads to'],
  requests: ['requests', 'that would be new if repeated with the same Idempotency-Key'],
  codes: ['sign-in codes', 'already sent and still good'],
  signIns: ['sign-ins', 'under way'],
  offers: ['links', `to credentials, sent and not used; ${PROGRAM_NAME} agents approve ID sends another`],
  events: ['events', 'of the payment provider, which would be read again if sent again; that does no harm'],
} as const;

export type LostTags = { readonly [Kind in keyof typeof sentences]: number };

export async function countTimedLosses(
  services: KeyedCliServices,
  { sealedAt }: FormerMasterKey,
): Promise<Omit<LostTags, 'orders' | 'cases' | 'users' | 'unreadable'>> {
  const { clock, store } = services;
  const time = { now: clock.now(), usedUntil: sealedAt + NOTE_MS };
  const toSpan = (seconds: number) => ({ ...time, lifetimeMs: seconds * SECOND_MS });
  return {
    forms: await countFormerForms(store.records, time),
    requests: await countFormerRequests(store.records, time),
    codes: await countFormerCodes(services),
    signIns: await countFormerSignIns(store.records, toSpan(oauthLifetimes.signIn)),
    offers: await countFormerOffers(store.records, toSpan(oauthLifetimes.offer)),
    events: await countFormerEvents(store.records, time),
  };
}

export function formatLostTags(lost: LostTags): string {
  const kinds = Object.keys(sentences) as (keyof typeof sentences)[];
  const lines = kinds
    .filter((kind) => lost[kind] > 0)
    .map((kind) => {
      const [nouns, rest] = sentences[kind];
      return `  ${formatCount(lost[kind], nouns)} ${rest}\n`;
    });
  if (lines.length === 0) return 'Everything is found with the first key.\n';
  return `No longer found without the former key:\n${lines.join('')}`;
}
