/** What the desk and the service exchange about the audit log: the entries as hashed, and the head of the chain. */
import { type Static, Type } from 'typebox';
import { describeObject, HashText, IdSchema, ItemCount, TimeSchema } from '#platform/http/shapes.ts';
import type { DeskAct } from './desk-cases.ts';

/** Query parameters are text. */
const NumberText = Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' }));

/**
 * `GET /desk/audit`: the newest first, or the oldest first with `after`, which is the number of a head that the desk
 * remembers. `case` lists what was done to one case, or to anything else with that id.
 */
export const DeskAuditQuerySchema = describeObject({
  case: Type.Optional(Type.String({ maxLength: 40 })),
  before: NumberText,
  after: NumberText,
});

export const DeskAuditSchema = describeObject({
  entries: Type.Array(
    describeObject({
      number: ItemCount,
      entry_hash: HashText,
      /** Null once the subject of the entry has been deleted; the hash stays. */
      salt: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
      /** JSON: see `DeskAuditTextSchema`. */
      entry: Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]),
    }),
    { maxItems: 200 },
  ),
  head: describeObject({ number: ItemCount, hash: HashText }),
});
export type DeskAudit = Static<typeof DeskAuditSchema>;

/** Acts that change a case, acts that only read, and decisions about the service itself. */
export type AuditAct =
  | DeskAct
  | 'read'
  | 'read_keys'
  | 'reseal'
  | 'attend_order'
  | 'release_order'
  | 'approve_agent'
  | 'reject_agent'
  | 'suspend_agent'
  | 'rotate_agent'
  | 'redirect_agent'
  | 'handle_contact'
  | 'settle_refund';

/** The text of an entry on at most one subject. For orders and completed purges, `at` is the beginning of the day. */
export const DeskAuditTextSchema = describeObject({
  at: TimeSchema,
  by: Type.Union([HashText, Type.Null()]),
  act: Type.String({ pattern: '^[a-z_]{1,40}$' }),
  case: Type.Optional(IdSchema),
  order: Type.Optional(IdSchema),
  /** A registration. */
  agent: Type.Optional(IdSchema),
  /** A contact message. */
  contact: Type.Optional(IdSchema),
});
export type DeskAuditText = Static<typeof DeskAuditTextSchema>;
