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

export type CaseAction = (
  services: Pick<Services, 'clock' | 'keyring' | 'sealing' | 'store'>,
  buyerCase: BuyerCase,
  fields: FormFields,
  language: Language,
) => Promise<CaseActionOutcome>;

/** Form handlers by the last part of the path. */
export const caseActions: Readonly<Record<string, CaseAction>> = {
  message: async (services, buyerCase, fields, { say }) => {
    const checked = validateCaseMessage(readMessageFromForm(fields), { now: services.clock.now() });
    if ('errors' in checked) return { faults: toMessageFormFaults(checked.errors, fields) };
    await addBuyerMessage(services, buyerCase, checked.message, {
      // Without these fields, the form does not count as sent before, and the buyer as having seen no messages.
      seq: readCount(fields, 'seq') ?? MAX_MESSAGES,
      seen: readCount(fields, 'seen') ?? 0,
    });
    return { news: say(isCallForm(fields) ? 'case.call.sent' : 'case.write.sent') };
  },
  keep: async (services, { opened }, fields, { say }) => {
    const days = KEEP_DAYS.find((option) => String(option) === fields.get(CASE_FORM_FIELDS.keep));
    if (days === undefined) return refuseField('keep', say('case.keep.unknown'));
    await updateKeepDaysById(services, opened.record.id, days);
    return { news: say('case.keep.saved', { days }) };
  },
  notify: async (services, { opened }, fields, { say, tag }) => {
    const address = { address: readLineField(fields, CASE_FORM_FIELDS.notify), language: tag };
    try {
      await setNoticeAddress(services, opened.record.id, address);
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'validation_failed')) throw error;
      return refuseField('notify', say('notice.address.invalid'));
    }
    return { news: say('notice.saved') };
  },
  silence: async (services, { opened }, _fields, { say }) => {
    await removeNoticeAddress(services, opened.record.id);
    return { news: say('notice.stopped') };
  },
  withdraw: async (services, { opened }, fields, { say }) => {
    if (!isTicked(fields, CASE_FORM_FIELDS.withdraw))
      return refuseField('withdraw', say('case.withdraw.unsure'));
    await withdrawCase(services, opened.record.id);
    return { news: say('case.withdraw.done') };
  },
  purge: async (services, { opened }, fields, { say }) => {
    const word = say('case.purge.word').toUpperCase();
    if (readLineField(fields, CASE_FORM_FIELDS.purge).toUpperCase() !== word)
      return refuseField('purge', say('case.purge.unsure', { word }));
    await purgeCaseNow(services, opened.record.id);
    return { erased: true };
  },
};

function readCount(fields: FormFields, name: keyof ShownThread): number | undefined {
  const text = readLineField(fields, name);
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined;
}

function refuseField(form: keyof typeof CASE_FORM_FIELDS, message: string): CaseActionOutcome {
  return { faults: [{ field: CASE_FORM_FIELDS[form], message }] };
}
