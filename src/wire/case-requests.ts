/** What the script of the case page asks of the service, and what it is answered: types alone for the script. */
import { type Static, Type } from 'typebox';
import { Base64urlSchema, closedObject } from '#platform/http/shapes.ts';
import { SEALED_FILE_KINDS, type SealedKind } from '#seal/header.ts';
import type { CaseForm } from './case-page.ts';
import { LookupTokenText } from './lookup-text.ts';

const token = { lookup_token: LookupTokenText };
const seq = Type.Integer({ minimum: 0, maximum: 999 });

export const CaseLookupRequestSchema = Type.Object(token, closedObject);
export type CaseLookupRequest = Static<typeof CaseLookupRequestSchema>;

export const CaseMessageRequestSchema = Type.Object(
  { ...token, seq, sealed: Base64urlSchema, call: Type.Boolean() },
  closedObject,
);
export type CaseMessageRequest = Static<typeof CaseMessageRequestSchema>;

export const CaseFileRequestSchema = Type.Object(
  { ...token, kind: Type.Enum([...SEALED_FILE_KINDS]), seq },
  closedObject,
);
export type CaseFileRequest = Static<typeof CaseFileRequestSchema>;

/** Which days may be asked for is for the service to say. */
export function createKeepDaysRequestSchema<Days extends number>(days: readonly Days[]) {
  return Type.Object({ ...token, keep_days: Type.Enum([...days]) }, closedObject);
}
export type KeepDaysRequest = Static<ReturnType<typeof createKeepDaysRequestSchema<number>>>;

/** What the service itself knows of a case, in words. */
export interface CaseOverview {
  readonly title: string;
  readonly clock: string;
  readonly sentences: readonly string[];
  readonly rows: readonly { readonly label: string; readonly value: string }[];
  readonly keep_days: number;
  readonly may: CasePermissions;
}

/** What the buyer may do now. */
export type CasePermissions = Readonly<Record<CaseForm | 'call', boolean>>;

/** The case as it lies sealed, with what the service knows of it. */
export interface SealedCaseAnswer extends CaseOverview {
  readonly case_key: string;
  /** Oldest first. */
  readonly objects: readonly SealedObjectAnswer[];
}

export interface SealedObjectAnswer {
  readonly kind: SealedKind;
  readonly seq: number;
  readonly size: number;
  readonly at: string;
  /** Not of files. */
  readonly sealed?: string;
}
