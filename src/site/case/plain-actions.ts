/** Handles the forms of the case page for a buyer without a script. */

import { purgeCaseNow } from '#cases/ending/purge.ts';
import { addBuyerMessage, type BuyerCase, type ShownThread } from '#cases/messages/buyer-actions.ts';
import { removeNoticeAddress, setNoticeAddress } from '#cases/notices/notice-address.ts';
import { updateKeepDaysById, withdrawCase } from '#cases/states.ts';
import type { Language } from '#language/language.ts';
import { ServiceError } from '#platform/errors.ts';
import { MAX_MESSAGES, validateCaseMessage } from '#seal/case/message.ts';
import { type FormFault, type FormFields, isTicked, readLineField } from '#seal/form/form-fields.ts';
import { isCallForm, readMessageFromForm, toMessageFormFaults } from '#seal/form/message-form.ts';
import type { Services } from '#services.ts';
import { CASE_FORM_FIELDS } from '#wire/case-page.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';

/** News to show, or the faults of the form; `erased` if nothing is left to show. */
type CaseActionOutcome =
  | { readonly news: string }
  | { readonly faults: readonly FormFault[] }
  | { readonly erased: true };

type CaseAction = (
  services: Services,
  buyerCase: BuyerCase,
  fields: FormFields,
  language: Language,
) => Promise<CaseActionOutcome>;

export const caseActions = {
  message: handleMessageForm,
  keep: handleRetentionForm,
  notify: handleNoticeForm,
  silence: handleSilenceForm,
  withdraw: handleWithdrawForm,
  purge: handlePurgeForm,
} satisfies Record<string, CaseAction>;

async function handleMessageForm(
  services: Pick<Services, 'clock' | 'sealing' | 'store'>,
  buyerCase: BuyerCase,
  fields: FormFields,
  { say }: Language,
): Promise<CaseActionOutcome> {
  const checked = validateCaseMessage(readMessageFromForm(fields), { now: services.clock.now() });
  if ('errors' in checked) return { faults: toMessageFormFaults(checked.errors, fields) };
  await addBuyerMessage(services, buyerCase, checked.message, {
    // A form without them is no repetition of an earlier one, and claims to have shown nothing.
    seq: readCount(fields, 'seq') ?? MAX_MESSAGES,
    seen: readCount(fields, 'seen') ?? 0,
  });
  return { news: say(isCallForm(fields) ? 'case.call.sent' : 'case.write.sent') };
}

function readCount(fields: FormFields, name: keyof ShownThread): number | undefined {
  const text = readLineField(fields, name);
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined;
}

async function handleRetentionForm(
  services: Pick<Services, 'clock' | 'store'>,
  { opened }: BuyerCase,
  fields: FormFields,
  { say }: Language,
): Promise<CaseActionOutcome> {
  const days = KEEP_DAYS.find((option) => String(option) === fields.get(CASE_FORM_FIELDS.keep));
  if (days === undefined)
    return { faults: [{ field: CASE_FORM_FIELDS.keep, message: say('case.keep.unknown') }] };
  await updateKeepDaysById(services, opened.record.id, days);
  return { news: say('case.keep.saved', { days }) };
}

async function handleNoticeForm(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  { opened }: BuyerCase,
  fields: FormFields,
  { say, tag }: Language,
): Promise<CaseActionOutcome> {
  const field = CASE_FORM_FIELDS.notify;
  const address = { address: readLineField(fields, field), language: tag };
  try {
    await setNoticeAddress(services, opened.record.id, address);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'validation_failed')) throw error;
    return { faults: [{ field, message: say('notice.address.invalid') }] };
  }
  return { news: say('notice.saved') };
}

async function handleSilenceForm(
  services: Pick<Services, 'clock' | 'store'>,
  { opened }: BuyerCase,
  _fields: FormFields,
  { say }: Language,
): Promise<CaseActionOutcome> {
  await removeNoticeAddress(services, opened.record.id);
  return { news: say('notice.stopped') };
}

async function handleWithdrawForm(
  services: Pick<Services, 'clock' | 'store'>,
  { opened }: BuyerCase,
  fields: FormFields,
  { say }: Language,
): Promise<CaseActionOutcome> {
  if (!isTicked(fields, CASE_FORM_FIELDS.withdraw))
    return { faults: [{ field: CASE_FORM_FIELDS.withdraw, message: say('case.withdraw.unsure') }] };
  await withdrawCase(services, opened.record.id);
  return { news: say('case.withdraw.done') };
}

async function handlePurgeForm(
  services: Pick<Services, 'clock' | 'keyring' | 'store'>,
  { opened }: BuyerCase,
  fields: FormFields,
  { say }: Language,
): Promise<CaseActionOutcome> {
  const word = say('case.purge.word');
  if (readLineField(fields, CASE_FORM_FIELDS.purge).toUpperCase() !== word)
    return { faults: [{ field: CASE_FORM_FIELDS.purge, message: say('case.purge.unsure', { word }) }] };
  await purgeCaseNow(services, opened.record.id);
  return { erased: true };
}
