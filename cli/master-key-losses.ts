/** What does not survive a change of the master key: counted, and said in words. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { MINUTE_SECONDS } from '#platform/durations.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import {
  countOpenForms,
  countOpenOffers,
  countShortLived,
  type OwnedTable,
  type SealedTable,
  type ShortLivedTable,
  shortLivedTables,
} from '#store/sealed-rows.ts';
import type { CliServices } from './cli-services.ts';
import { formatCount } from './count-text.ts';

/** What is counted, and the rest of the sentence, which fits one as well as many. */
const sentences = {
  orders: ['orders', 'without their payment: one of its events, sent again from Stripe, brings it back'],
  users: ['users', 'who signed in with an address or words, and have to consent again'],
  notices: ['buyers', 'who asked to be told of news, and have to ask again'],
  registrations: ['programs', 'whose contact is unknown: MAINTAINER_EMAIL takes its place'],
  callbacks: ['callbacks', 'that programs have to set again'],
  callback_events: ['events', 'that programs are not told of'],
  case_callbacks: ['cases', 'whose program is told of nothing until it sets its callback again'],
  order_callbacks: ['orders', 'whose program is not told that they are paid'],
  kept_secrets: ['secrets', 'of the service, which its next start makes anew'],
  unreadable: ['rows', 'that could not be moved, left as they were'],
  owners_of_orders: ['orders', 'that their program no longer finds'],
  owners_of_cases: ['cases', 'that their program no longer finds; the words still open them'],
  forms: ['paid orders', 'without an inquiry, whose form opens only from the address after the payment'],
  offers: ['links', `to credentials, sent and not used: ${PROGRAM_NAME} agents approve ID sends another`],
  tokens: [
    'sign-ins',
    `of the last ${oauthLifetimes.signIn / MINUTE_SECONDS} minutes, which begin anew if under way`,
  ],
  sign_in_codes: ['sign-in codes', 'sent by e-mail'],
  draft_keys: ['drafts', 'of inquiries, kept in a browser'],
  idempotency: ['requests', 'that would be new if repeated with the same Idempotency-Key'],
  provider_events: ['events', 'of Stripe that would be read again if sent again, which does no harm'],
} as const satisfies Readonly<
  Record<
    | Exclude<SealedTable, 'cases'>
    | ShortLivedTable
    | `owners_of_${OwnedTable}`
    | 'unreadable'
    | 'forms'
    | 'offers',
    readonly [string, string]
  >
>;

type LossKind = keyof typeof sentences;
export type Losses = Partial<Record<LossKind, number>>;

/** What ends with every change, because nothing can compute it again. */
export async function countShortLivedLosses({ clock, store }: CliServices): Promise<Losses> {
  const lost: Losses = {
    forms: await countOpenForms(store.records, clock.now()),
    offers: await countOpenOffers(store.records, clock.now()),
  };
  for (const table of shortLivedTables) lost[table] = await countShortLived(store.records, table);
  return lost;
}

export function formatLosses(lost: Losses): string {
  const kinds = Object.keys(sentences) as LossKind[];
  const lines = kinds.map((kind) => {
    const [nouns, rest] = sentences[kind];
    const count = lost[kind] ?? 0;
    return count === 0 ? '' : `  ${formatCount(count, nouns)} ${rest}\n`;
  });
  return lines.join('') || '  nothing\n';
}
