/** What the doctor says about the records: their schema, their pairing with the shred keys, and their cases. */
import { HOUR_MS } from '#platform/durations.ts';
import { listCasesWithoutKey } from '#store/key-inspection.ts';
import { listMasterKeys, MASTER_KEY_REFUSALS } from '#store/master-keys.ts';
import { explainMismatch, readRecordsPairing } from '#store/pairing.ts';
import type { RecordsReader } from '#store/records-reader.ts';
import { createSchemaCheck, listPresentColumns } from '#store/schema/schema-fit.ts';
import { schemaSteps } from '#store/schema/schema-steps.ts';
import { compareSchema } from '#store/schema/schema-version.ts';
import type { ShredKeyState } from '#store/shred-keys.ts';
import type { Observation } from './doctor-observation.ts';
import { formatAge } from './table.ts';

/** How many ids are shown of each kind. */
const MAX_IDS = 10;
/** A sweep that is late by this much is not just busy. */
const PURGE_LAG_MS = HOUR_MS;

const keySentences: Record<Exclude<ShredKeyState, 'present'>, string> = {
  freed:
    'Cases whose shred key was destroyed, because they were purged after this copy of the records was made',
  missing: 'Cases that have no shred key and cannot be opened',
  damaged: 'Cases whose key is damaged, so that they cannot be opened',
};

export async function isUpToDate({ db, engine }: RecordsReader): Promise<boolean> {
  const { faults, missing } = await compareSchema(db, engine, schemaSteps);
  return faults.length === 0 && missing.length === 0;
}

export async function inspectRecords(reader: RecordsReader, now: number): Promise<Observation[]> {
  const { db, engine } = reader;
  const comparison = await compareSchema(db, engine, schemaSteps);
  const { applied, faults, missing } = comparison;
  const observations: Observation[] = [
    {
      isWrong: false,
      text: `The records (${engine.location}) have ${applied.length} of ${schemaSteps.length} schema steps.`,
    },
    ...faults.map((fault) => ({ isWrong: true, text: `This does not fit: ${fault}.` })),
  ];
  if (missing.length > 0 && faults.length === 0)
    observations.push({ isWrong: false, text: 'The next start of the service brings them up to date.' });
  if (applied.length === 0) return observations;
  const steps = schemaSteps.filter(({ name }) => applied.includes(name));
  const lost = faults.length > 0 ? [] : await (await createSchemaCheck({ db, engine, steps }))();
  if (lost.length > 0)
    observations.push({ isWrong: true, text: `The records lack what their steps make: ${lost.join(', ')}.` });
  const columns = new Set(await listPresentColumns(db, engine.name));
  return [
    ...observations,
    ...(await inspectPairing(reader, columns)),
    ...(await inspectMasterKeys(reader, columns)),
    ...(await inspectShredKeys(reader, columns)),
    ...(await inspectPurges(reader, columns, now)),
  ];
}

async function inspectPairing(
  { db, engine, shredKeys }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  if (!columns.has('records_pairing.counter')) return [];
  const hasKeys = engine.name === 'sqlite' || columns.has('shred_pairing.counter');
  // Keys first: a service that moves both on meanwhile leaves the records ahead, as they may be.
  const keys = hasKeys && shredKeys ? await shredKeys.readPairing(db) : null;
  const sides = { keys, records: await readRecordsPairing(db) };
  const mismatch = explainMismatch(sides);
  if (mismatch)
    return [{ isWrong: true, text: `Records and shred keys do not belong together: ${mismatch}.` }];
  if (sides.records === null)
    return [{ isWrong: false, text: 'Records and shred keys are not paired yet; the next start does it.' }];
  return [{ isWrong: false, text: 'Records and shred keys belong together.' }];
}

async function inspectMasterKeys(
  { db }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  if (!columns.has('master_keys.sealed_at') || (await listMasterKeys(db)).length < 2) return [];
  return [{ isWrong: true, text: `The service does not start: ${MASTER_KEY_REFUSALS.unfinished}.` }];
}

async function inspectShredKeys(
  { db, engine, shredKeys }: RecordsReader,
  columns: ReadonlySet<string>,
): Promise<Observation[]> {
  const isKnown = columns.has('case_keys.box') && (engine.name === 'sqlite' || columns.has('shred_keys.key'));
  if (!isKnown || !shredKeys) return [];
  const ids = { freed: [] as string[], missing: [] as string[], damaged: [] as string[] };
  for await (const { id, state } of listCasesWithoutKey(db, shredKeys)) {
    const query = db.selectFrom('cases').select('id').where('id', '=', id).where('purging', '=', 0);
    // A purge may have come in between.
    if (await query.executeTakeFirst()) ids[state].push(id);
  }
  return Object.entries(keySentences).flatMap(([state, sentence]) => {
    const found = ids[state as keyof typeof ids];
    if (found.length === 0) return [];
    const more = found.length > MAX_IDS ? ' …' : '';
    return [
      {
        isWrong: true,
        text: `${sentence} (${found.length}): ${found.slice(0, MAX_IDS).join(' ')}${more}`,
      },
    ];
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
  return [
    {
      isWrong: true,
      text: `Cases past their purge date (${count}), the first by ${age}: the service does not run, or cannot purge; see its log.`,
    },
  ];
}
