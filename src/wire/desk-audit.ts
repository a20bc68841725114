/** What the desk and the office exchange about the audit log: its entries as they are hashed, and the head of the chain. */
import { type Static, Type } from 'typebox';
import { closedObject, IdSchema } from '#platform/http/shapes.ts';

const HashSchema = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
const EntryNumber = Type.Integer({ minimum: 0 });
/** Parameters of an address are texts. */
const NumberText = Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$' }));

/**
 * `GET /desk/audit`: the newest first, or the oldest first with `after`, which is the number of a head that the desk
 * remembers. `case` lists what was done to one case.
 */
export const DeskAuditQuerySchema = Type.Object(
  {
    case: Type.Optional(Type.String({ maxLength: 40 })),
    before: NumberText,
    after: NumberText,
  },
  closedObject,
);

export const DeskAuditSchema = Type.Object(
  {
    entries: Type.Array(
      Type.Object(
        {
          number: EntryNumber,
          entry_hash: HashSchema,
          /** Null once the case is purged; the hash stays. */
          salt: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
          /** JSON: `at`, `by`, `act`, and `case` or `order`. */
          entry: Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()]),
        },
        closedObject,
      ),
      { maxItems: 200 },
    ),
    head: Type.Object({ number: EntryNumber, hash: HashSchema }, closedObject),
  },
  closedObject,
);
export type DeskAudit = Static<typeof DeskAuditSchema>;

/** The text of an entry: never a case and an order together. */
export const DeskAuditTextSchema = Type.Object(
  {
    at: Type.String({ format: 'date-time' }),
    by: Type.Union([HashSchema, Type.Null()]),
    act: Type.String({ pattern: '^[a-z_]{1,40}$' }),
    case: Type.Optional(IdSchema),
    order: Type.Optional(IdSchema),
  },
  closedObject,
);
export type DeskAuditText = Static<typeof DeskAuditTextSchema>;
