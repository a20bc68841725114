/** The engine that SIM_ENGINE names, with an empty place for the records of one story. */
import type { CleanupScope } from '#test/cleanup.ts';
import { openPostgresEngine } from '#test/store/engines.ts';

let postgres: ReturnType<typeof openPostgresEngine> | undefined;

/** No variables for SQLite, which is in the folder of the story. */
export async function createDatabase(t: CleanupScope): Promise<Record<string, string>> {
  if (process.env['SIM_ENGINE'] !== 'postgres') return {};
  postgres ??= openPostgresEngine(t);
  return (await (await postgres).createDatabase(t)).env;
}
