/** Requests and responses of the case page's script; the script imports only the types. */
import { type Static, Type } from 'typebox';
import type { ShownTime, TimedText } from '#language/timed-text.ts';
import { Base64urlSchema, describeObject, LookupTokenText } from '#platform/http/shapes.ts';
import { MAX_MESSAGES, toMessageFileSeq } from '#seal/case/message.ts';
import { SEALED_FILE_KINDS, type SealedKind } from '#seal/core/header.ts';
import { MAX_INQUIRY_FILES } from '#seal/form/inquiry-files.ts';
import type { CaseActionForm } from './case-page.ts';
import { UploadedPartSchema } from './inquiry-requests.ts';
import { KEEP_DAYS } from './keep-days.ts';

const lookup = { lookup_token: LookupTokenText };
const seq = Type.Integer({ minimum: 0, maximum: 999 });
const fileSeq = Type.Integer({ minimum: 0, maximum: toMessageFileSeq(MAX_MESSAGES, 0) });

export const CaseLookupRequestSchema = describeObject(lookup);
export type CaseLookupRequest = Static<typeof CaseLookupRequestSchema>;

/** The cursor of an earlier answer: the objects of that answer are sent again only if some have been deleted. */
const reading = {
  ...lookup,
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,5}\\.[A-Za-z0-9_-]{43}$' })),
};

export const CaseReadRequestSchema = describeObject(reading);
export type CaseReadRequest = Static<typeof CaseReadRequestSchema>;

export const CaseMessageRequestSchema = describeObject({
  ...reading,
  seq,
  sealed: Base64urlSchema,
  call: Type.Boolean(),
  // In the order in which the message names them.
  files: Type.Optional(Type.Array(UploadedPartSchema, { maxItems: MAX_INQUIRY_FILES })),
});
export type CaseMessageRequest = Static<typeof CaseMessageRequestSchema>;

export const CaseFileRequestSchema = describeObject({
  ...lookup,
  kind: Type.Enum([...SEALED_FILE_KINDS]),
  seq: fileSeq,
});
export type CaseFileRequest = Static<typeof CaseFileRequestSchema>;

/** The service checks whether it is a valid address. */
export const NoticeAddressRequestSchema = describeObject({
  ...reading,
  address: Type.String({ maxLength: 320 }),
});

export const KeepDaysRequestSchema = describeObject({ ...reading, keep_days: Type.Enum([...KEEP_DAYS]) });

export interface CaseStep {
  readonly stage: 'done' | 'current' | 'ahead';
  readonly label: string;
  /** The time of the step, as far as it is known. */
  readonly when: TimedText;
}

/** What the service can report about a case without opening it, as text. */
export interface CaseOverview {
  /** Distinguishes titles, whatever their language. */
  readonly state: string;
  readonly title: string;
  readonly clock: TimedText;
  readonly sentences: readonly string[];
  /** What happens to the payment, empty if nothing; `withdrawal` is what would happen to it after a withdrawal. */
  readonly money: TimedText;
  readonly withdrawal: TimedText;
  readonly deletion: TimedText;
  readonly steps: readonly CaseStep[];
  readonly rows: readonly { readonly label: string; readonly value: TimedText }[];
  readonly keep_days: number;
  /** Epoch milliseconds that are worth a reminder. */
  readonly look_again: readonly number[];
  readonly may: CasePermissions;
  /** Whether the desk has booked a time for the call; only its sealed message says which. */
  readonly call_booked: boolean;
  /** Whether the buyer is asked to suggest times for the call. */
  readonly call_asked: boolean;
}

export type CasePermissions = Readonly<Record<CaseActionForm, boolean>>;

export interface SealedCaseAnswer extends CaseOverview {
  /** Absent if `objects` has only those after the cursor of the request. */
  readonly case_key?: string;
  /** Oldest first. */
  readonly objects: readonly SealedObjectAnswer[];
  readonly cursor: string;
  /** Whether there are already more objects after the cursor. */
  readonly more: boolean;
}

export interface SealedObjectAnswer {
  readonly kind: SealedKind;
  readonly seq: number;
  readonly size: number;
  readonly at: ShownTime;
  /** Absent for files, which are downloaded separately. */
  readonly sealed?: string;
}
