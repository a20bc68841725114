/** E-mails to the desk about cases that are due soon and about cases that are late, each case once per kind. */
import { HOUR_MS } from '#platform/durations.ts';
import type { EmailText, MailSender } from '#platform/mail/mail.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import { countCasesDueBetween } from '#store/cases/case-counts.ts';
import { countAlertedCases, hasCasesToAlert, recordCaseAlerts } from '#store/cases/desk-mail.ts';
import { enqueueOutboxEntry } from '#store/outbox.ts';
import type { OutboxHandler } from '#store/outbox-worker.ts';
import { ALERT_STAGES, type AlertStage } from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { OPEN_STATES } from '../states.ts';

/** How long before the due time the desk gets an e-mail. */
export const DUE_SOON_HOURS = 12;

const alertTopics: Readonly<Record<AlertStage, string>> = { due: 'cases due', late: 'cases late' };
const alertMargins: Readonly<Record<AlertStage, number>> = { due: DUE_SOON_HOURS * HOUR_MS, late: 0 };

/** Open cases that are late, and those that are due within `withinMs`. */
export async function countCasesByClock(
  records: Records,
  now: number,
  withinMs: number,
): Promise<Readonly<Record<AlertStage, number>>> {
  return {
    late: await countCasesDueBetween(records, OPEN_STATES, { after: 0, before: now }),
    due: await countCasesDueBetween(records, OPEN_STATES, { after: now, before: now + withinMs }),
  };
}

/** A case that is already late is not reported as due soon. */
export async function enqueueAlerts({ clock, store }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  for (const stage of ALERT_STAGES.toReversed()) {
    const due = { stage, states: OPEN_STATES, dueBy: clock.now() + alertMargins[stage] };
    if (!(await hasCasesToAlert(store.records, due))) continue;
    const email = generateId();
    await store.transaction(async (records) => {
      if ((await recordCaseAlerts(records, email, due)) === 0) return;
      const topic = alertTopics[stage];
      const entry = { topic, dedupe: `${topic} ${email}`, payload: { letter: email }, dueAt: clock.now() };
      await enqueueOutboxEntry(records, entry);
    });
  }
}

export interface AlertOptions extends Pick<Services, 'store'> {
  readonly siteName: string;
  readonly maintainer: string;
  readonly sendMail: MailSender;
}

/** Nothing is sent if every case in the e-mail has ended, or is in a later e-mail by now. */
export function createAlertMailers(options: AlertOptions): Readonly<Record<string, OutboxHandler>> {
  const { store, siteName, maintainer, sendMail } = options;
  const createAlertMailer =
    (stage: AlertStage): OutboxHandler =>
    async (payload, id) => {
      const { letter: email } = payload as { letter: string };
      const count = await countAlertedCases(store.records, email, OPEN_STATES);
      if (count > 0) await sendMail({ id, to: maintainer, ...buildAlert(stage, count, siteName) });
    };
  return Object.fromEntries(ALERT_STAGES.map((stage) => [alertTopics[stage], createAlertMailer(stage)]));
}

/** Contains only numbers: details of a case do not belong in a mailbox. */
function buildAlert(stage: AlertStage, count: number, siteName: string): Omit<EmailText, 'to'> {
  const cases = count === 1 ? 'One case is' : `${count} cases are`;
  const clock = stage === 'late' ? 'late' : `due in less than ${DUE_SOON_HOURS} hours`;
  return {
    subject: stage === 'late' ? 'Late' : `Due in ${DUE_SOON_HOURS} hours`,
    text: `${cases} ${clock} at ${siteName}.

  office cases due
  office cases list
`,
  };
}
