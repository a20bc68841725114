/** What the desk and the service exchange besides cases: contact messages, refunds, numbers, agents and orders. */
import { type Static, Type } from 'typebox';
import {
  Base64urlSchema,
  CursorOrNull,
  describeObject,
  IdSchema,
  ItemCount,
  TimeOrNull,
  TimeSchema,
} from '#platform/http/shapes.ts';

const Names = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 50 });
const RedirectUris = Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 50 });

/** `GET /desk/contact`: messages not handled yet, the oldest first. `POST /desk/contact/{id}/done` answers 204. */
export const DeskContactSchema = describeObject({
  messages: Type.Array(
    describeObject({
      id: IdSchema,
      sealed_by: Type.String({ maxLength: 40 }),
      received_at: TimeSchema,
      purge_at: TimeSchema,
      /** Sealed to the desk keys of that time. */
      sealed: Base64urlSchema,
    }),
    { maxItems: 50 },
  ),
  next: CursorOrNull,
});
export type DeskContact = Static<typeof DeskContactSchema>;

/** `GET /desk/refunds`: payments to refund for declined cases. `POST /desk/refunds/{id}/done` answers 204. */
export const DeskRefundsSchema = describeObject({
  refunds: Type.Array(
    describeObject({
      id: IdSchema,
      /** Sealed to the recovery key and to everyone at the desk whom the declining investigator had confirmed. */
      sealed: Base64urlSchema,
      /** The entry came from a backup, so the refund may have been made since. */
      restored: Type.Boolean(),
    }),
    { maxItems: 50 },
  ),
  next: CursorOrNull,
});
export type DeskRefunds = Static<typeof DeskRefundsSchema>;

/** `GET /desk/numbers`: how many items are waiting, but not which. Cases and orders are counted up to a thousand. */
export const DeskNumbersSchema = describeObject({
  cases: Type.Record(Type.String({ maxLength: 40 }), ItemCount),
  unanswered: ItemCount,
  due_within_a_day: ItemCount,
  late: ItemCount,
  contact: ItemCount,
  refunds: ItemCount,
  /** Null unless the caller may decide about them. */
  agents: Type.Union([ItemCount, Type.Null()]),
  orders: Type.Union([ItemCount, Type.Null()]),
  now: TimeSchema,
});
export type DeskNumbers = Static<typeof DeskNumbersSchema>;

/** Hours from sending to delivery are counted in steps of this size; the last one begins at `LAST_STEP`. */
export const HOUR_STEP = 6;
export const LAST_STEP = 42;

/**
 * `GET /desk/numbers/weeks`. By week, from its Monday: `sent Trace`, `hours 12` to delivery or `hours late`,
 * `declined`, `withdrawn`. By month of delivery: `delivered`, and `opened` by their buyers.
 */
export const DeskWeeksSchema = describeObject({
  counts: Type.Array(
    describeObject({
      period: Type.String({ pattern: '^\\d{4}-\\d\\d(-\\d\\d)?$' }),
      what: Type.String({ pattern: '^[a-z]+( [A-Za-z0-9 ]{1,40})?$', maxLength: 50 }),
      counted: ItemCount,
    }),
    { maxItems: 2_000 },
  ),
  now: TimeSchema,
});
export type DeskWeeks = Static<typeof DeskWeeksSchema>;

/** A registration and its client. */
export const DeskAgentSchema = describeObject({
  registration_id: IdSchema,
  state: Type.String({ maxLength: 40 }),
  client_name: Type.String({ maxLength: 200 }),
  contact: Type.String({ maxLength: 300 }),
  identity_type: Type.String({ maxLength: 40 }),
  credential_types: Names,
  redirect_uris: RedirectUris,
  created_at: TimeOrNull,
  client_id: Type.Union([IdSchema, Type.Null()]),
  scopes: Names,
  grants: Names,
  link_until: TimeOrNull,
});

/** `GET /desk/agents`, for owners: the oldest first. */
export const DeskAgentsSchema = describeObject({
  agents: Type.Array(DeskAgentSchema, { maxItems: 50 }),
  next: CursorOrNull,
});
export type DeskAgents = Static<typeof DeskAgentsSchema>;

/** `POST /desk/agents/{id}`, for owners; returns the changed agent. */
export const DeskAgentDecisionSchema = describeObject({
  decision: Type.Enum(['approve', 'reject', 'suspend', 'rotate']),
  /** With `approve`, both or neither. */
  scopes: Type.Optional(Names),
  grants: Type.Optional(Names),
});
export type DeskAgentDecision = Static<typeof DeskAgentDecisionSchema>;

/** `GET /desk/orders`, for owners: those to review, the oldest first. No order can be linked to a case. */
export const DeskOrdersSchema = describeObject({
  orders: Type.Array(
    describeObject({
      id: IdSchema,
      tier: Type.String({ maxLength: 40 }),
      why: Type.String({ maxLength: 40 }),
      made_on: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
    }),
    { maxItems: 50 },
  ),
  next: CursorOrNull,
});
export type DeskOrders = Static<typeof DeskOrdersSchema>;
// `POST /desk/orders/{id}/done`, and `/release` for one on hold after a restore, answer 204.
