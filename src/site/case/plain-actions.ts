/** What a buyer without a script does on the case page: each act by its name, with what to say afterwards. */
import { type BuyersCase, writeMessage } from '#cases/buyer-actions.ts';
import { purgeAtOnce } from '#cases/purge.ts';
import { KEEP_DAYS } from '#cases/retention.ts';
import { keep as keepCase, withdraw as withdrawCase } from '#cases/states.ts';
import { type FormFault, type FormFields, isTicked, line } from '#seal/form-fields.ts';
import { validateMessage } from '#seal/message.ts';
import { messageFaults, messageFromForm } from '#seal/message-form.ts';
import type { Services } from '#services.ts';
import { ERASE_WORD, unsure } from './forms.ts';

/** What comes of an act: news, or faults of its form; `erased` where nothing is left to show. */
export type Outcome =
  | { readonly news: string }
  | { readonly faults: readonly FormFault[] }
  | { readonly erased: true };

type Act = (services: Services, mine: BuyersCase, fields: FormFields) => Promise<Outcome>;

export const caseActs = { message, keep, withdraw, purge } satisfies Record<string, Act>;

async function message(
  services: Pick<Services, 'clock' | 'store'>,
  mine: BuyersCase,
  fields: FormFields,
): Promise<Outcome> {
  const checked = validateMessage(messageFromForm(fields));
  if ('errors' in checked) return { faults: messageFaults(checked.errors, fields) };
  await writeMessage(services, mine, checked.message, Number(line(fields, 'seq')));
  return { news: 'Your message was sent.' };
}

async function keep(
  services: Pick<Services, 'store'>,
  { opened }: BuyersCase,
  fields: FormFields,
): Promise<Outcome> {
  const days = KEEP_DAYS.find((each) => String(each) === fields.get('keep_days'));
  if (days === undefined)
    return { faults: [{ field: 'keep_days', message: 'Choose one of the days in the list' }] };
  await keepCase(services, opened.record.id, days);
  return { news: `The file is erased ${days} days after our answer.` };
}

async function withdraw(
  services: Pick<Services, 'clock' | 'store'>,
  { opened }: BuyersCase,
  fields: FormFields,
): Promise<Outcome> {
  if (!isTicked(fields, 'withdraw_sure'))
    return { faults: [{ field: 'withdraw_sure', message: unsure.withdraw }] };
  await withdrawCase(services, opened.record.id);
  return { news: 'Your case is withdrawn.' };
}

async function purge(
  services: Pick<Services, 'clock' | 'store'>,
  { opened }: BuyersCase,
  fields: FormFields,
): Promise<Outcome> {
  if (line(fields, 'erase').toUpperCase() !== ERASE_WORD)
    return { faults: [{ field: 'erase', message: unsure.erase }] };
  await purgeAtOnce(services, opened.record.id);
  return { erased: true };
}
