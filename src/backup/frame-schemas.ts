/** The schemas of the parts of a backup file: its header, the head of a table and its end. */
import { type Static, Type } from 'typebox';
import type { Installation } from '#store/keys/shred-keys.ts';

const Counter = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Installation id and generation, under the names that they have in backups. */
const InstallationSchema = Type.Object({ id: Type.String(), counter: Counter });

export const BackupHeader = Type.Object({
  format: Type.String(),
  part: Type.Union([Type.Literal('records'), Type.Literal('keys')]),
  program: Type.String(),
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  /** The steps of the schema; empty for keys. */
  steps: Type.Array(Type.String()),
  pairing: InstallationSchema,
  /** The installations before each restore: records from before it belong to these keys, too. */
  former: Type.Array(InstallationSchema),
  /** Epoch milliseconds. */
  cutAt: Counter,
  /** Distinguishes a wrong MASTER_KEY from a forged file. */
  masterKeyTag: Type.String(),
});
export type BackupHeader = Static<typeof BackupHeader>;

export function toHeaderIds(
  installation: Installation,
  previous: readonly Installation[] = [],
): Pick<BackupHeader, 'pairing' | 'former'> {
  const toId = ({ id, generation }: Installation) => ({ id, counter: generation });
  return { pairing: toId(installation), former: previous.map(toId) };
}

/** Lists all installations; the last one is the current installation of the header. */
export function listHeaderInstallations({ pairing, former }: BackupHeader): Installation[] {
  return [...former, pairing].map(({ id, counter: generation }) => ({ id, generation }));
}

export const TableHead = Type.Object({ name: Type.String(), columns: Type.Array(Type.String()) });

export const BackupEnd = Type.Object({ rows: Counter, hash: Type.String(), mac: Type.String() });
export type BackupEnd = Static<typeof BackupEnd>;
