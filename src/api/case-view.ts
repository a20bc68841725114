/** A case as JSON: what the service itself knows about it, and the list of its sealed files. */
import { type Static, Type } from 'typebox';
import { DEFAULT_KEEP_DAYS } from '#cases/ending/retention.ts';
import { toBuyerView } from '#cases/messages/buyer-view.ts';
import { countMessages } from '#cases/messages/messages.ts';
import type { SealedCase } from '#cases/sealing/sealed-case.ts';
import { IDEMPOTENCY_KEY_HOURS } from '#platform/expiry.ts';
import {
  Base64urlSchema,
  describeObject,
  IdSchema,
  LookupTokenText,
  TimeSchema,
} from '#platform/http/shapes.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { toIsoTime, toIsoTimeOrNull } from '#platform/text/iso-time.ts';
import { MAX_FINDING_FILES } from '#seal/case/finding.ts';
import { MAX_INQUIRY_FILES } from '#seal/form/inquiry-files.ts';
import type { Case } from '#store/cases/cases.ts';
import { CALL_STATES, CASE_STATES, SEALED_BY } from '#wire/case-states.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';
import { TierNameSchema } from './pricing.ts';

export const KeepDaysSchema = Type.Enum([...KEEP_DAYS], {
  type: 'integer',
  description: 'How many days after the delivery everything is purged.',
});
/** Words from a BIP 39 test vector: they are valid, but belong to no case. */
export const exampleWords = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
export const CaseIdSchema = Type.String({ ...IdSchema, description: 'The id of the case.' });
export const CaseParams = describeObject({ case: CaseIdSchema });

/** Not a union, because the serializer would validate the value in order to write it. */
const describeTimeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

const caseProperties = {
  id: CaseIdSchema,
  lookup_hash: Type.String({
    ...LookupTokenText,
    description:
      'SHA-256 of the lookup token of the words. It is the `case` in the header of everything sealed for this case.',
  }),
  tier: TierNameSchema,
  state: Type.Enum([...CASE_STATES], {
    type: 'string',
    description:
      '`received`: work has not begun; `in_progress`: the desk is at work; `awaiting_client`: the desk has asked a question; `delivered`: the finding is there; `declined` by the desk, `withdrawn` by the buyer. A purged case is no longer found.',
  }),
  call: Type.Enum([...CALL_STATES], {
    type: 'string',
    description:
      'The call that `Dossier` includes. `none`: nothing arranged since the inquiry, whose own times are sealed and do not show here; `offered`: the desk has asked for times; `proposed`: the buyer has given some in a message; `booked`: the desk has chosen one, which its message has as `call`; `held`: it took place.',
  }),
  sealed_by: Type.Enum([...SEALED_BY], {
    type: 'string',
    description:
      'With `server`, the service held the plain text while it was sealed; otherwise it never did.',
  }),
  keep_days: KeepDaysSchema,
  submitted_at: Type.String({ ...TimeSchema, description: 'When the inquiry came.' }),
  due_at: Type.String({ ...TimeSchema, description: 'By when the finding is promised.' }),
  delivered_at: describeTimeOrNull('When the finding was delivered; null before.'),
  purge_at: describeTimeOrNull('When everything is purged; null while the case is open.'),
};

/** A case just after its submission; the example of each operation overrides what that operation changes. */
export const caseExample = {
  id: 'q1Zl7yBq3mJx0c2y8l4QxA',
  lookup_hash: 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE',
  tier: 'Trace',
  state: 'received',
  call: 'none',
  sealed_by: 'agent',
  keep_days: DEFAULT_KEEP_DAYS,
  submitted_at: '2026-11-15T09:00:00.000Z',
  due_at: '2026-11-17T09:00:00.000Z',
  delivered_at: null,
  purge_at: null,
} satisfies {
  readonly [Field in keyof typeof caseProperties]: Static<(typeof caseProperties)[Field]>;
};

export const CaseSummary = describeObject(caseProperties, {
  title: 'Case',
  examples: [caseExample],
});

/** Only the response that opens a case may contain words. */
export const OpenedCaseSummary = describeObject(
  {
    ...caseProperties,
    words: Type.Optional(
      Type.String({
        description:
          'The twelve words that open the case, if the plain inquiry did not include any. They are stored nowhere: keep them, since the finding cannot be read without them.',
      }),
    ),
    repeated: Type.Optional(
      Type.Literal(true, {
        description: 'An earlier copy of this request opened the case, and this one changed nothing.',
      }),
    ),
    words_repeatable: Type.Optional(
      Type.Boolean({
        description: `Whether the same request with the same Idempotency-Key gives \`words\` again, for ${IDEMPOTENCY_KEY_HOURS} hours at least. Only with a random key: a UUID, or at least 22 characters of base64url. If it is false and \`words\` is absent, they came in the first response alone.`,
      }),
    ),
  },
  {
    title: 'OpenedCase',
    examples: [{ ...caseExample, sealed_by: 'server', words: exampleWords, words_repeatable: true }],
  },
);

const fileKinds = [
  'inquiry.v1',
  'inquiry-file.v1',
  'buyer-message-file.v1',
  'finding.v1',
  'finding-file.v1',
] as const;

const CaseObject = describeObject(
  {
    id: Type.String({ ...IdSchema, description: 'The `file` of `getCaseFile`.' }),
    kind: Type.Enum([...fileKinds], { type: 'string', description: 'What it is, as in its header.' }),
    seq: Type.Integer({
      description: `The number in its header, needed to open it. \`inquiry.v1\`: 0. \`inquiry-file.v1\`: its place in \`files\` of the inquiry, from 0. \`finding.v1\`: 0, or higher after one that was taken back. \`finding-file.v1\`: ${MAX_FINDING_FILES} × \`seq\` of its finding + its place in \`files\`. \`buyer-message-file.v1\`: ${MAX_INQUIRY_FILES} × \`seq\` of its message + its place in \`files\`.`,
    }),
    size: Type.Integer({ description: 'The sealed size in bytes.' }),
    kept_at: Type.String({ ...TimeSchema, description: 'When it was stored.' }),
  },
  { title: 'CaseFile' },
);

export const CaseDetail = describeObject(
  {
    ...caseProperties,
    case_key: Type.String({
      ...Base64urlSchema,
      description: 'The key of the case, sealed to the words, the desk and the recovery key.',
    }),
    messages: describeObject(
      {
        buyer: Type.Integer({ description: 'From the buyer.' }),
        desk: Type.Integer({ description: 'From the desk.' }),
      },
      {
        description:
          'The number of messages from each side, including any that are missing. The `seq` of yours counts from 0.',
      },
    ),
    files: Type.Array(CaseObject, {
      maxItems: 5_000,
      description: 'Everything that is sealed except the messages, oldest first.',
    }),
  },
  {
    title: 'CaseDetail',
    examples: [
      {
        ...caseExample,
        state: 'awaiting_client',
        case_key: 'YWdlLWVuY3J5cHRpb24',
        messages: { buyer: 0, desk: 1 },
        files: [
          {
            id: 'b0m3Xv9cTq2Zr8sWkY5LdA',
            kind: 'inquiry.v1',
            seq: 0,
            size: 5_544,
            kept_at: caseExample.submitted_at,
          },
        ],
      },
    ],
  },
);

export function toCaseSummary(stored: Case, now: number): Static<typeof CaseSummary> {
  const record = toBuyerView(stored, now);
  const { id, lookup_hash, tier, state, call, sealed_by, keep_days } = record;
  return {
    id,
    lookup_hash,
    tier: tier as Static<typeof CaseSummary>['tier'],
    state,
    call,
    sealed_by,
    keep_days: keep_days as Static<typeof CaseSummary>['keep_days'],
    submitted_at: toIsoTime(record.submitted_at),
    due_at: toIsoTime(record.due_at),
    delivered_at: toIsoTimeOrNull(record.delivered_at),
    purge_at: toIsoTimeOrNull(record.purge_at),
  };
}

/** Requires a case that was read for the buyer. */
export function toCaseDetail(
  { record, caseKey, objects }: Omit<SealedCase, 'stream'>,
  now: number,
): Static<typeof CaseDetail> {
  return {
    ...toCaseSummary(record, now),
    case_key: toBase64url(caseKey),
    messages: countMessages(objects),
    files: objects.flatMap(({ id, kind, seq, size, keptAt }) => {
      const fileKind = fileKinds.find((name) => name === kind);
      return fileKind ? [{ id, kind: fileKind, seq, size, kept_at: toIsoTime(keptAt) }] : [];
    }),
  };
}
