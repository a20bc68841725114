/** One step of the schema: what it executes on an engine, and the hash by which a changed step is noticed. */
import { createHash } from 'node:crypto';
import type { DatabaseEngine } from './engine.ts';

export interface SchemaStep {
  readonly name: string;
  /** `without rowid` and the types are those of the engine in what is executed. */
  readonly sql: readonly string[];
  /** Limits the step to one engine. */
  readonly on?: DatabaseEngine['name'];
}

type EngineName = Pick<DatabaseEngine, 'name'>;

const WITHOUT_ROWID = / without rowid$/;

/** None if the step is for another engine. */
export function listStepStatements(step: SchemaStep, engine: EngineName): string[] {
  const statements = listWrittenStatements(step, engine);
  return engine.name === 'sqlite' ? statements.map(toStrictStatement) : statements;
}

/** SHA-256 of what is written here. Space does not count: indenting a step anew changes no database. */
export function hashStep(step: SchemaStep, engine: EngineName): string {
  const text = listWrittenStatements(step, engine).map((statement) => statement.replace(/\s+/g, ' ').trim());
  return createHash('sha256').update(text.join(';\n')).digest('hex');
}

function listWrittenStatements({ on, sql }: SchemaStep, { name }: EngineName): string[] {
  if (on && on !== name) return [];
  return name === 'sqlite' ? [...sql] : sql.map((statement) => statement.replace(WITHOUT_ROWID, ''));
}

/** Only such a table refuses a value of another type than its column's, and it knows few types by name. */
function toStrictStatement(statement: string): string {
  if (!/^(?:create|alter) table /.test(statement)) return statement;
  return statement
    .replace(/\b(?:bigint|smallint)\b/g, 'int')
    .replace(/\bbytea\b/g, 'blob')
    .replace(WITHOUT_ROWID, ' without rowid, strict');
}
