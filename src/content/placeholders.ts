/** The values of the placeholders in the operator's texts, and the function that inserts them. */

import {
  CONTACT_DAYS,
  CONTACT_DONE_DAYS,
  DECLINED_DAYS,
  DEFAULT_KEEP_DAYS,
  KEPT_KEYS_FILES,
  LONGER_KEEP_DAYS,
  TOMBSTONE_DAYS,
  WITHDRAWN_HOURS,
} from '#cases/ending/retention.ts';
import { LAST_NOTICE_DAYS } from '#cases/notices/notice-times.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import type { Language } from '#language/language.ts';
import { formatSpan } from '#language/timed-text.ts';
import { DELIVERY_HOURS, getTier } from '#payments/tiers.ts';
import type { Config } from '#platform/config/config.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '#platform/durations.ts';
import {
  FORM_DAYS,
  PURCHASE_COOKIE_HOURS,
  RETURN_LINK_MINUTES,
  UNPAID_ORDER_DAYS,
} from '#platform/expiry.ts';
import { EVENT_DAYS } from '#platform/webhook-event-types.ts';
import { REFUND_DAYS, REMEMBERED_DAYS } from '#wire/keep-days.ts';
import { formatCountryName } from '#wire/said-text.ts';
import { rejectContent } from './content-file.ts';
import type { Helpline } from './helplines.ts';

export type PlaceholderValues = Readonly<Record<string, string>>;

export type ContentConfig = Pick<Config, 'site' | 'ordersKeepDays' | 'backupHours'>;

const MONTH_DAYS = 30;

/** Formats numbers and lists as the language does. */
export function buildPlaceholderValues(
  { site, ordersKeepDays, backupHours }: ContentConfig,
  helplines: readonly Helpline[],
  language: Language,
): PlaceholderValues {
  const { tag, locale, say } = language;
  const [trace, dossier, deepSweep] = [getTier('Trace'), getTier('Dossier'), getTier('Deep Sweep')];
  const numbers = {
    delivery_hours: DELIVERY_HOURS,
    keep_days: DEFAULT_KEEP_DAYS,
    declined_days: DECLINED_DAYS,
    refund_days: REFUND_DAYS,
    withdrawn_hours: WITHDRAWN_HOURS,
    deleted_days: TOMBSTONE_DAYS,
    desk_memory_months: Math.round(REMEMBERED_DAYS / MONTH_DAYS),
    last_notice_days: LAST_NOTICE_DAYS,
    contact_days: CONTACT_DAYS,
    contact_done_days: CONTACT_DONE_DAYS,
    event_days: EVENT_DAYS,
    form_days: FORM_DAYS,
    return_link_minutes: RETURN_LINK_MINUTES,
    purchase_cookie_hours: PURCHASE_COOKIE_HOURS,
    unpaid_order_days: UNPAID_ORDER_DAYS,
    orders_keep_days: ordersKeepDays,
    permission_days: oauthLifetimes.grant / DAY_SECONDS,
    permission_unused_days: oauthLifetimes.refreshToken / DAY_SECONDS,
    sign_in_minutes: oauthLifetimes.signIn / MINUTE_SECONDS,
    trace_price: trace.price,
    dossier_price: dossier.price,
    deep_sweep_price: deepSweep.price,
  };
  return {
    site_name: escapeMarkdown(site.name),
    maintainer_email: escapeMarkdown(site.maintainer),
    operator_name: escapeMarkdown(site.operator.name),
    operator_address: escapeMarkdown(site.operator.address),
    operator_law: escapeMarkdown(site.operator.law),
    trace_receipt: trace.receiptName,
    dossier_receipt: dossier.receiptName,
    deep_sweep_receipt: deepSweep.receiptName,
    longer_keep_days: new Intl.ListFormat(tag, { type: 'disjunction' }).format(LONGER_KEEP_DAYS.map(String)),
    backup_span: formatSpan(say, KEPT_KEYS_FILES * backupHours),
    helplines: formatHelplineRows(helplines, language),
    ...Object.fromEntries(
      Object.entries(numbers).map(([name, value]) => [name, value.toLocaleString(locale)]),
    ),
  };
}

/** Formats table rows, sorted by the name of the country: country, who answers, number, source. */
function formatHelplineRows(helplines: readonly Helpline[], { tag, find }: Language): string {
  return helplines
    .map((line) => ({ ...line, name: formatCountryName(line.country, tag) }))
    .toSorted((a, b) => a.name.localeCompare(b.name, tag))
    .map(({ name, who, translations, number, source }) => {
      const answers = translations.get(tag) ?? find(`helpline.${who.toLowerCase()}`) ?? who;
      const call = `[${number}](tel:${number.replaceAll(' ', '')})`;
      const page = `[${new URL(source).hostname}](${source})`;
      return `| **${escapeMarkdown(name)}** | ${escapeMarkdown(answers)} | ${call} | ${page} |`;
    })
    .join('\n');
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~]/g, '\\$&');
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** Throws a ProgramError that names the file and the placeholder. */
export function fillPlaceholders(text: string, values: PlaceholderValues, path: string): string {
  const broken = /\{\{|\}\}/.exec(text.replace(PLACEHOLDER, ''));
  if (broken) rejectContent(path, `a placeholder is not whole: it begins with {{ and ends with }}`);
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = Object.hasOwn(values, name.trim()) ? values[name.trim()] : undefined;
    if (value === undefined)
      return rejectContent(path, `${placeholder} is not known; known are ${Object.keys(values).join(', ')}`);
    return value;
  });
}
