/** Tools that need no words: open, list, retain and withdraw cases. */
import { Type } from 'typebox';
import { KeepDaysSchema } from '#api/case-view.ts';
import {
  CaseListInput,
  listCallerCases,
  readCallerCase,
  setCallerRetention,
  withdrawCallerCase,
} from '#api/cases.ts';
import { INQUIRY_BYTES, submitCallerInquiry } from '#api/inquiries.ts';
import { InquiryBody, PlainSubmission } from '#api/inquiry-body.ts';
import { DEFAULT_KEEP_DAYS, WITHDRAWN_HOURS } from '#cases/ending/retention.ts';
import { DELIVERY_HOURS } from '#payments/tiers.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { IDEMPOTENCY_KEY_HOURS } from '#platform/expiry.ts';
import { describeObject, IdSchema } from '#platform/http/shapes.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import { requireSubmissionKey } from './submission-key.ts';
import {
  defineTool,
  OPENNESS,
  readingHints,
  requireToolCaller,
  WORDS_MEANING,
  writingHints,
} from './tool.ts';

export const CaseId = Type.String({ ...IdSchema, description: 'The `id` of a case, as in list_cases.' });

const submitInquiry = defineTool({
  name: 'submit_inquiry',
  title: 'Submit an inquiry',
  description: `Submits the inquiry that a paid order has paid for, which spends the order and opens its case; the finding is due ${DELIVERY_HOURS} hours later. The inquiry is sealed on arrival. It takes no files: the person adds them on the site's page /case with the words. The response has the twelve words of the case. If it is lost, repeat the call with the same \`submission_key\`: it opens no second case, changes nothing of the first (\`repeated: true\`), and gives the same words for ${IDEMPOTENCY_KEY_HOURS} hours. Without \`submission_key\` they come once. Show them to the person at once: ${WORDS_MEANING} Ask the person for what \`lawful_purpose\` and \`safety_risk\` say, and whether they agree to the terms. ${OPENNESS}`,
  access: 'case:write',
  budget: 'inquiries',
  messageBytes: INQUIRY_BYTES,
  input: describeObject({
    order_id: Type.String({ ...IdSchema, description: 'A `paid` order, as in get_order.' }),
    terms_version: Type.String({
      ...InquiryBody.properties.terms_version,
      description: 'The terms that the person agrees to: `terms_version` of get_pricing.',
    }),
    keep_days: Type.Optional(KeepDaysSchema),
    inquiry: PlainSubmission.properties.inquiry,
    submission_key: Type.Optional(
      Type.String({ description: 'Of create_checkout, with the same order.', maxLength: 64 }),
    ),
  }),
  // Destructive, because it spends the payment.
  annotations: { ...writingHints, destructiveHint: true, idempotentHint: true },
  run: async (services, { caller, input: { inquiry, submission_key: given, ...order } }) => {
    const key = given === undefined ? null : requireSubmissionKey(services.keyring, order.order_id, given);
    const body = { ...order, plain: { inquiry } };
    // The key is for this order only. The text is ignored, because a model rarely repeats it word for word.
    const repeat = { key, body: order.order_id };
    return await submitCallerInquiry(services, requireToolCaller(caller), body, repeat);
  },
});

const listCases = defineTool({
  name: 'list_cases',
  title: 'Cases',
  description:
    'Lists the cases that the caller may see, newest first, with their state and dates. It shows nothing of what was asked or found.',
  access: 'case:read',
  input: CaseListInput,
  annotations: readingHints,
  run: (services, { caller, input }) => listCallerCases(services, requireToolCaller(caller), input),
});

const getCase = defineTool({
  name: 'get_case',
  title: 'State of a case',
  description:
    'Reports the state and dates of one case, and how many messages each side has written: `awaiting_client` means that the desk has asked something, which read_messages shows; once it is `delivered`, get_finding reads the finding; `declined` and `withdrawn` are ends without one. With `call: offered` the desk offers the call of a `Dossier`: send times with send_case_message; once it is `booked`, read_messages has the time; `none` says nothing about times in the inquiry itself. Ask at most every few minutes. It needs no words.',
  access: 'case:read',
  input: describeObject({ case_id: CaseId }),
  annotations: readingHints,
  run: async (services, { caller, input }) => {
    const detail = await readCallerCase(services, requireToolCaller(caller), input.case_id);
    // Omits what a model cannot use.
    const { case_key: _key, files: _files, ...status } = detail;
    return status;
  },
});

const requestRetention = defineTool({
  name: 'request_retention',
  title: 'Keep a case longer',
  description: `Sets how many days after its delivery a case is kept; then everything of it is purged for good. Without it, that is ${DEFAULT_KEEP_DAYS} days. A smaller number takes an earlier wish back.`,
  access: 'case:write',
  input: describeObject({ case_id: CaseId, keep_days: KeepDaysSchema }),
  // Destructive, because a smaller number purges the case sooner.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: (services, { caller, input: { case_id: caseId, keep_days: keepDays } }) =>
    setCallerRetention(services, requireToolCaller(caller), caseId, keepDays),
});

const withdrawCase = defineTool({
  name: 'withdraw_case',
  title: 'Withdraw a case',
  description: `Withdraws a case before its delivery, for good: the investigators stop working on it, and everything in it is purged ${formatDurationInWords(WITHDRAWN_HOURS * HOUR_MS)} later. If its state was still \`received\`, the price is paid back without asking; later it is not. Ask the person first.`,
  access: 'case:write',
  input: describeObject({ case_id: CaseId }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: (services, { caller, input }) =>
    withdrawCallerCase(services, requireToolCaller(caller), input.case_id),
});

export const caseTools = [submitInquiry, listCases, getCase, requestRetention, withdrawCase];
