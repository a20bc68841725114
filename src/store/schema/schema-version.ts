/** The steps that a database has, each with the hash of what was executed, compared with the steps of the program. */
import type { Kysely } from 'kysely';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { DatabaseEngine } from '../engine/engine.ts';
import { explainPreviousRecords, isPreviousSchema } from './carry-over.ts';
import { listPresentColumns } from './schema-fit.ts';
import { hashStep, type SchemaStep } from './schema-step.ts';
import { HASHES_TABLE, STEPS_TABLE } from './schema-tables.ts';
import type { Tables } from './tables.ts';

export interface SchemaComparison {
  /** The names of the steps that the database has. */
  readonly applied: readonly string[];
  /** The mismatches, as text; the first is enough to refuse. */
  readonly faults: readonly string[];
  /** The names of steps that the program knows and the database lacks. */
  readonly missing: readonly string[];
}

/** Writes nothing. A database without these tables has no steps. */
export async function compareSchema(
  db: Kysely<Tables>,
  engine: Pick<DatabaseEngine, 'name'>,
  known: readonly SchemaStep[],
): Promise<SchemaComparison> {
  const columns = new Set(await listPresentColumns(db, engine.name));
  const missing = known.map(({ name }) => name);
  if (isPreviousSchema(columns)) {
    const fault = await explainPreviousRecords(db, engine.name, columns);
    return { applied: [], faults: fault === null ? [] : [fault], missing };
  }
  if (!columns.has(`${STEPS_TABLE}.name`)) return { applied: [], faults: [], missing };
  const steps = await db.selectFrom(STEPS_TABLE).select('name').orderBy('name').execute();
  const hashes = columns.has(`${HASHES_TABLE}.hash`)
    ? await db.selectFrom(HASHES_TABLE).selectAll().execute()
    : [];
  const applied = steps.map(({ name }) => name);
  const hashByName = new Map(hashes.map(({ name, hash }) => [name, hash]));
  const faults = applied.flatMap((name) => explainFault(name, hashByName.get(name), known, engine) ?? []);
  return { applied, faults, missing: missing.filter((name) => !applied.includes(name)) };
}

export function requireFittingSchema({ faults: [fault] }: SchemaComparison): void {
  if (fault) throw new ProgramError(fault, EXIT_CODES.config);
}

function explainFault(
  name: string,
  hash: string | undefined,
  known: readonly SchemaStep[],
  engine: Pick<DatabaseEngine, 'name'>,
): string | null {
  const step = known.find((each) => each.name === name);
  if (!step)
    return `the database has the schema step "${name}", which this version does not know; use a newer one`;
  if (hash === hashStep(step, engine.name)) return null;
  return `the database was made with a schema step "${name}" that differs from the one in this version; use the version that made it`;
}
