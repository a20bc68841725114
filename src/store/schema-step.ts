/** One step of the schema: what it executes on an engine, and the hash by which a changed step is noticed. */
import { createHash } from 'node:crypto';
import type { DatabaseEngine } from './engine.ts';

export interface SchemaStep {
  readonly name: string;
  /** `without rowid` is removed for engines that do not support it. */
  readonly sql: readonly string[];
  /** Limits the step to one engine. */
  readonly on?: DatabaseEngine['name'];
}

/** None if the step is for another engine. */
export function listStepStatements(
  step: SchemaStep,
  engine: Pick<DatabaseEngine, 'name' | 'withoutRowid'>,
): string[] {
  if (step.on && step.on !== engine.name) return [];
  return step.sql.map((statement) => statement.replace(/ without rowid$/, engine.withoutRowid));
}

/** SHA-256 of what is executed. Space does not count: indenting a step anew changes no database. */
export function hashStep(step: SchemaStep, engine: Pick<DatabaseEngine, 'name' | 'withoutRowid'>): string {
  const text = listStepStatements(step, engine).map((statement) => statement.replace(/\s+/g, ' ').trim());
  return createHash('sha256').update(text.join(';\n')).digest('hex');
}
