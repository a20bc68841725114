/** One step of the schema: what it executes on an engine, and the hash by which a changed step is detected. */
import { createHash } from 'node:crypto';
import type { DatabaseEngine } from '../engine/engine.ts';

type EngineName = DatabaseEngine['name'];

export interface SchemaStep extends Partial<Record<EngineName, readonly string[]>> {
  /** Steps are applied in the order of their names. */
  readonly name: string;
  /** With `without rowid` and the types of PostgreSQL, which `listStepStatements` adapts to the engine. */
  readonly sql: readonly string[];
}

const WITHOUT_ROWID = / without rowid$/;

export function listStepStatements(step: SchemaStep, engine: EngineName): string[] {
  const statements = [...step.sql, ...(step[engine] ?? [])];
  return statements.map((statement) =>
    engine === 'sqlite' ? toStrictStatement(statement) : statement.replace(WITHOUT_ROWID, ''),
  );
}

/** SHA-256 of what is executed. Whitespace is ignored, so that a step can be indented differently. */
export function hashStep(step: SchemaStep, engine: EngineName): string {
  const text = listStepStatements(step, engine).map((statement) => statement.replace(/\s+/g, ' ').trim());
  return createHash('sha256').update(text.join(';\n')).digest('hex');
}

/** Only a strict table refuses a value of another type than its column's, and it knows few types by name. */
function toStrictStatement(statement: string): string {
  if (!/^(?:create|alter) table /.test(statement)) return statement;
  // Spelled this way, a primary key is the number by which SQLite finds the row (sqlite.org/rowidtable.html).
  const numbered = statement.replace(/\bbigint not null primary key\b/, 'integer not null primary key');
  const named = numbered.replace(/\b(?:bigint|smallint)\b/g, 'int').replace(/\bbytea\b/g, 'blob');
  return WITHOUT_ROWID.test(named) ? `${named}, strict` : named.replace(/\)$/, ') strict');
}
