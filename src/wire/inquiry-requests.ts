/** Request and response of the inquiry page's script; the script imports only the types. */
import { type Static, Type } from 'typebox';
import {
  Base64urlSchema,
  describeObject,
  HashText,
  IdSchema,
  LookupTokenText,
} from '#platform/http/shapes.ts';
import { MAX_INQUIRY_FILES } from '#seal/form/inquiry-files.ts';
import { KEEP_DAYS } from './keep-days.ts';

/** The id of an upload, and the total size of its pieces. */
export const UploadedPartSchema = describeObject({ upload: IdSchema, size: Type.Integer({ minimum: 1 }) });
export type UploadedPart = Static<typeof UploadedPartSchema>;

export const SealedInquirySchema = describeObject({
  lookup_hash: LookupTokenText,
  case_key: Base64urlSchema,
  // Missing if the form was loaded from an earlier version.
  sealing_set: Type.Optional(HashText),
  inquiry: UploadedPartSchema,
  files: Type.Array(UploadedPartSchema, { maxItems: MAX_INQUIRY_FILES }),
  keep_days: Type.Enum([...KEEP_DAYS]),
  terms_version: Type.String({ maxLength: 64 }),
});
export type SealedInquiryRequest = Static<typeof SealedInquirySchema>;

/** The service's half of the key of a draft. */
export const DraftHalfSchema = Type.Object({ half: Type.String() });
export type DraftHalf = Static<typeof DraftHalfSchema>;

/** When the finding is due. */
export const SentInquirySchema = Type.Object({
  due: Type.Object({ datetime: Type.String(), text: Type.String() }),
});
export type SentInquiry = Static<typeof SentInquirySchema>;
