/** What the desk and the service exchange about cases: the queue, sealed parts, and acts. */
import { type Static, Type } from 'typebox';
import {
  Base64urlSchema,
  CursorOrNull,
  describeObject,
  HashText,
  IdSchema,
  ItemCount,
  TimeOrNull,
  TimeSchema,
} from '#platform/http/shapes.ts';
import { DESK_MESSAGE_ACTS } from '#seal/case/message.ts';
import { CASE_OBJECT_KINDS } from '#seal/core/header.ts';
import { CALL_STATES, CASE_STATES, SEALED_BY } from './case-states.ts';
import { UploadedPartSchema } from './inquiry-requests.ts';

const Seq = Type.Integer({ minimum: 0, maximum: 1_000_000 });

/** Acts that need nothing sealed. */
export const BARE_ACTS = [
  'take', // start work, or resume it while the case waits for the buyer; assigns the case to the caller
  'take_over', // while another investigator is the assignee
  'let_go', // the case is then unassigned
  'hand_over', // assigns the case to the colleague in `to`
  'offer_call',
  'hold_call',
  'take_back',
  'purge', // after a day, during which the whole desk can see it
  'purge_now', // owners only
  'undo_purge',
] as const;

/** What may be done with a case, decided by the service; the desk shows nothing else. */
export const DESK_ACTS = [
  ...BARE_ACTS,
  'ask',
  'message',
  'note',
  'book_call',
  'deliver',
  'decline',
  'retain',
] as const;
export type DeskAct = (typeof DESK_ACTS)[number];

/** No other characters: the desk prints it to a terminal, which could interpret them. */
const Word = Type.String({ maxLength: 40, pattern: '^[A-Za-z][A-Za-z_ ]*$' });

const DeskCaseSchema = describeObject({
  id: IdSchema,
  lookup_hash: HashText,
  tier: Word,
  state: Type.Enum([...CASE_STATES]),
  call: Type.Enum([...CALL_STATES]),
  sealed_by: Type.Enum([...SEALED_BY]),
  keep_days: ItemCount,
  submitted_at: TimeSchema,
  due_at: TimeSchema,
  late: Type.Boolean(),
  delivered_at: TimeOrNull,
  /** The number of the next finding, `finding_seq` of the record; counts the findings that were taken back. */
  finding_seq: Seq,
  /** Until when a finding or a decline can be taken back. */
  held_until: TimeOrNull,
  purge_at: TimeOrNull,
  /** The investigator who requested that purge, which can be undone until then; null if no one did. */
  purge_by: Type.Union([HashText, Type.Null()]),
  /** The assignee: the SHA-256 of their public key. */
  holder: Type.Union([HashText, Type.Null()]),
  /** Who handed the case to the assignee; null if the assignee took it. */
  handed_by: Type.Union([HashText, Type.Null()]),
  /** The previous assignee, if there was one. */
  taken_from: Type.Union([HashText, Type.Null()]),
  /** Since when the buyer has been waiting for an answer from the desk. */
  unanswered_since: TimeOrNull,
  /** The number of each, including gaps. */
  messages: describeObject({ buyer: ItemCount, desk: ItemCount, notes: ItemCount }),
  changed_at: TimeSchema,
  acts: Type.Array(Type.Enum([...DESK_ACTS]), { maxItems: DESK_ACTS.length }),
});
export type DeskCase = Static<typeof DeskCaseSchema>;

export const DESK_VIEWS = ['open', 'mine', 'unanswered', 'late', 'unassigned', 'ended', 'purges'] as const;

/**
 * `GET /desk/cases`: the earliest due first. `changed_since` lists the cases changed since, including ended ones.
 * `begins` lists cases in any state by the first characters of their ids: up to four beginnings, separated by commas.
 */
export const DeskQueueQuerySchema = describeObject({
  view: Type.Optional(Type.Enum([...DESK_VIEWS])),
  tier: Type.Optional(Type.String({ maxLength: 40 })),
  changed_since: Type.Optional(TimeSchema),
  begins: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{3,22}(,[A-Za-z0-9_-]{3,22}){0,3}$' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  after: Type.Optional(Type.String({ maxLength: 200 })),
});

export type DeskQueueQuery = Static<typeof DeskQueueQuerySchema>;

/** Counts stop at this number, which the desk shows as a minimum. */
export const MAX_COUNTED = 1_000;

export const DeskQueueSchema = describeObject({
  cases: Type.Array(DeskCaseSchema, { maxItems: 200 }),
  next: CursorOrNull,
  /** For the whole desk, by view; up to `MAX_COUNTED`. */
  counts: describeObject({
    open: ItemCount,
    mine: ItemCount,
    unanswered: ItemCount,
    late: ItemCount,
    unassigned: ItemCount,
  }),
  /** The clock of the service. */
  now: TimeSchema,
});
export type DeskQueue = Static<typeof DeskQueueSchema>;

const DeskObjectSchema = describeObject({
  kind: Type.Enum([...CASE_OBJECT_KINDS]),
  seq: Seq,
  size: ItemCount,
  at: TimeSchema,
});

/** `GET /desk/cases/{id}`: the case, its sealed key, the list of its parts, and all envelopes; files are in pieces. */
export const DeskCaseFileSchema = describeObject({
  case: DeskCaseSchema,
  case_key: Base64urlSchema,
  objects: Type.Array(DeskObjectSchema, { maxItems: 5_000 }),
  envelopes: Type.Array(
    describeObject({
      kind: Type.Enum([...CASE_OBJECT_KINDS]),
      seq: Seq,
      at: TimeSchema,
      sealed: Base64urlSchema,
      /** For messages of the desk: who wrote it, and the salt that proves it. */
      author: Type.Optional(describeObject({ holder: HashText, salt: HashText })),
    }),
    { maxItems: 2_500 },
  ),
  now: TimeSchema,
});
export type DeskCaseFile = Static<typeof DeskCaseFileSchema>;

// `GET /desk/cases/{id}/objects/{kind}/{seq}/pieces/{piece}` → application/octet-stream, at most 256 KiB.
// `PUT /desk/cases/{id}/uploads/{upload}/{piece}` ← application/octet-stream; 204.

/** `POST /desk/cases/{id}/messages`: a sealed message of the desk, and what it means. Answers `DeskActResult`. */
export const DeskMessageRequestSchema = describeObject({
  seq: Seq,
  sealed: Base64urlSchema,
  /** The same act as in the sealed message, so that readers can compare. */
  act: Type.Enum([...DESK_MESSAGE_ACTS]),
  offer_call: Type.Optional(Type.Boolean()),
  /** With `retain`, whose sealed text is the reason that the buyer reads. */
  keep_days: Type.Optional(Type.Integer()),
  /** The salt for the author that is sealed in the message; see `hashDeskAuthor`. */
  salt: Type.Optional(HashText),
  /** With `decline`: the payment to refund, readable only at the desk. */
  refund: Type.Optional(Base64urlSchema),
});
export type DeskMessageRequest = Static<typeof DeskMessageRequestSchema>;

/** `POST /desk/cases/{id}/notes`. */
export const DeskNoteRequestSchema = describeObject({ seq: Seq, sealed: Base64urlSchema });

/** `POST /desk/cases/{id}/finding`. */
export const DeskFindingRequestSchema = describeObject({
  seq: Seq,
  sealed: Base64urlSchema,
  files: Type.Array(UploadedPartSchema, { maxItems: 50 }),
  /** Releases the finding immediately, so that it cannot be taken back. */
  at_once: Type.Optional(Type.Boolean()),
});
export type DeskFindingRequest = Static<typeof DeskFindingRequestSchema>;

/** `POST /desk/cases/{id}/acts`: acts that need nothing sealed. */
export const DeskActRequestSchema = describeObject({
  act: Type.Enum([...BARE_ACTS]),
  /** With `hand_over`, the SHA-256 of a colleague's public key. */
  to: Type.Optional(HashText),
});
export type DeskActRequest = Static<typeof DeskActRequestSchema>;

/** The case as it is after the act; null once it is purged. */
export const DeskActResultSchema = describeObject({
  case: Type.Union([DeskCaseSchema, Type.Null()]),
  now: TimeSchema,
});
export type DeskActResult = Static<typeof DeskActResultSchema>;
