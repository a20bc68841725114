/** What the parts of a backup file look like: its header, the head of a table and its end. */
import { type Static, Type } from 'typebox';

const Counter = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const PairingSchema = Type.Object({ id: Type.String(), counter: Counter });

export const BackupHeader = Type.Object({
  format: Type.String(),
  part: Type.Union([Type.Literal('records'), Type.Literal('keys')]),
  program: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  /** The steps of the schema; empty for keys. */
  steps: Type.Array(Type.String()),
  pairing: PairingSchema,
  /** Earlier pairings of these keys, before each restore: records of that time belong to them as well. */
  former: Type.Array(PairingSchema),
  /** Epoch milliseconds. */
  cutAt: Counter,
  /** Tells a wrong MASTER_KEY from a forged file. */
  masterKeyTag: Type.String(),
});
export type BackupHeader = Static<typeof BackupHeader>;

export const TableHead = Type.Object({ name: Type.String(), columns: Type.Array(Type.String()) });

export const BackupEnd = Type.Object({ rows: Counter, hash: Type.String(), mac: Type.String() });
export type BackupEnd = Static<typeof BackupEnd>;
