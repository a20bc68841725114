/** Inspects the records and shred keys: damage, schema, installation, master key, keys of cases, purges. */
import { sql } from 'kysely';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { DAMAGE_ADVICE } from '#platform/database-codes.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { listCasesWithoutKey } from '#store/cases/key-inspection.ts';
import type { RecordsReader } from '#store/engine/records-reader.ts';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { explainMismatch, readInstallation } from '#store/keys/installation.ts';
import { listMasterKeys, MASTER_KEY_REFUSALS } from '#store/keys/master-keys.ts';
import { explainOtherRecords } from '#store/keys/orphaned-keys.ts';
import type { ShredKeyState } from '#store/keys/shred-keys.ts';
import type { SchemaComparison } from '#store/schema/migrate.ts';
import { createSchemaCheck, listPresentColumns } from '#store/schema/schema-fit.ts';
import { schemaSteps } from '#store/schema/schema-steps.ts';
import { type Observation, observe } from '#watch/surroundings.ts';
import { formatAge } from '../terminal/table.ts';

const MAX_SHOWN_IDS = 10;
/** A sweep that is late by this much is not just busy. */
const PURGE_LAG_MS = HOUR_MS;

const keySentences: Record<Exclude<ShredKeyState, 'present'>, string> = {
  freed:
    'Cases whose shred key was destroyed, because they were purged after this copy of the records was made',
  missing: 'Cases that have no shred key and cannot be opened',
  damaged: 'Cases whose key is damaged, so that they cannot be opened',
};

export async function inspectRecords(
  reader: RecordsReader,
  { applied, faults, missing }: SchemaComparison,
  dataDir: string,
  now: number,
): Promise<Observation[]> {
  const { db, engine } = reader;
  const observations = [
    ...observe(
      'fine',
      `The records (${engine.location}) have ${applied.length} of ${schemaSteps.length} schema steps.`,
    ),
    ...faults.flatMap((fault) => observe('act', `The records do not fit this version: ${fault}.`)),
    ...(missing.length > 0 && faults.length === 0
      ? observe('fine', 'The next start of the service brings the records up to date.')
      : []),
  ];
  if (applied.length === 0) return [...observations, ...(await inspectEmptyDatabase(engine.name, dataDir))];
  const damage = await inspectPages(reader);
  // Reading anything else from damaged records may fail, or give wrong results.
  if (damage.length > 0) return [...observations, ...damage];
  const steps = schemaSteps.filter(({ name }) => applied.includes(name));
  const lost = faults.length > 0 ? [] : await (await createSchemaCheck({ db, engine, steps }))();
  if (lost.length > 0)
    observations.push(
      ...observe(
        'act',
        `The records lack tables or columns that their schema steps create: ${lost.join(', ')}. Restore a copy that has them: ${PROGRAM_NAME} restore.`,
      ),
    );
  const columns = new Set(await listPresentColumns(db, engine.name));
  return [
    ...observations,
    ...(await inspectInstallation(reader, columns)),
    ...(await inspectMasterKeys(reader, columns)),
    ...(await inspectShredKeys(reader, columns)),
    ...(await inspectPurges(reader, columns, now)),
  ];
}

async function inspectEmptyDatabase(
  engine: RecordsReader['engine']['name'],
  dataDir: string,
): Promise<Observation[]> {
  const fault = engine === 'sqlite' ? null : await explainOtherRecords(dataDir, toDatabasePath(dataDir));
  return fault === null ? [] : observe('act', `${fault}.`);
}

/** PostgreSQL checks each page that it reads, and has its own tools for checking all of them. */
async function inspectPages({ db, engine }: RecordsReader): Promise<Observation[]> {
  if (engine.name !== 'sqlite') return [];
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  if (rows[0]?.quick_check === 'ok') return [];
  return observe('act', `${engine.location} is damaged: ${DAMAGE_ADVICE}.`);
}

async function inspectInstallation(
  { db, engine, shredKeys }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  if (!columns.has('records_installation.generation')) return [];
  const hasKeys = engine.name === 'sqlite' || columns.has('shred_installation.generation');
  // Reads the keys first: if a service advances both meanwhile, the records are ahead, which is allowed.
  const keys = hasKeys && shredKeys ? await shredKeys.readInstallation(db) : null;
  const sides = { keys, records: await readInstallation(db, 'records_installation') };
  const mismatch = explainMismatch(sides);
  if (mismatch) return observe('act', `Records and shred keys do not belong together: ${mismatch}.`);
  if (sides.records === null)
    return observe(
      'fine',
      'Records and shred keys have no installation id yet; the next start of the service creates one.',
    );
  return observe('fine', 'Records and shred keys belong together.');
}

async function inspectMasterKeys(
  { db }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  if (!columns.has('master_keys.sealed_at') || (await listMasterKeys(db)).length < 2) return [];
  return observe('act', `The service does not start: ${MASTER_KEY_REFUSALS.unfinished}.`);
}

async function inspectShredKeys(
  { db, engine, shredKeys }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  const isKnown =
    columns.has('case_keys.ciphertext') && (engine.name === 'sqlite' || columns.has('shred_keys.key'));
  if (!isKnown || !shredKeys) return [];
  const ids = { freed: [] as string[], missing: [] as string[], damaged: [] as string[] };
  for await (const { id, state } of listCasesWithoutKey(db, shredKeys)) {
    const query = db.selectFrom('cases').select('id').where('id', '=', id).where('purging', '=', 0);
    // The case may have been purged since it was listed.
    if (await query.executeTakeFirst()) ids[state].push(id);
  }
  return Object.entries(keySentences).flatMap(([state, sentence]) => {
    const found = ids[state as keyof typeof ids];
    if (found.length === 0) return [];
    const more = found.length > MAX_SHOWN_IDS ? ' …' : '';
    return observe(
      'act',
      `${sentence} (${found.length}): ${found.slice(0, MAX_SHOWN_IDS).join(' ')}${more}. Restore the last backup whose records and keys are from the same time (docs/operating.md).`,
    );
  });
}

async function inspectPurges(
  { db }: RecordsReader,
  columns: ReadonlySet<string>,
  now: number,
): Promise<Observation[]> {
  if (!columns.has('cases.purge_at')) return [];
  const { count, oldest } = await db
    .selectFrom('cases')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('purge_at').as('oldest')])
    .where('purge_at', '<', now - PURGE_LAG_MS)
    .executeTakeFirstOrThrow();
  if (count === 0) return [];
  const age = formatAge(now - Number(oldest));
  return observe(
    'act',
    `Some cases are past their purge date (${count}), the longest by ${age}: the service is not running, or cannot purge; see its log.`,
  );
}
