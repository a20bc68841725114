/** The command that gives the records another master key, while no service runs. */
import { type Config, isMasterKey, loadConfig, MASTER_KEY_EXPECTED } from '#platform/config.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { runInBatches } from '#store/batches.ts';
import { createKeyring, loadKeyring, toMasterKeyPath } from '#store/keyring.ts';
import {
  computeMasterKeyTag,
  deleteMasterKeys,
  listMasterKeys,
  MASTER_KEY_REFUSALS,
  type MasterKeyNote,
  noteMasterKey,
} from '#store/master-keys.ts';
import { deleteShortLived, shortLivedTables } from '#store/sealed-rows.ts';
import type { Records } from '#store/tables.ts';
import { formatTimeOrDash } from './case-facts.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { type CommandReport, createCommand, createUsageFailure } from './command.ts';
import { askConfirmation } from './confirmation.ts';
import { readInputFile } from './input-file.ts';
import { getIo } from './io.ts';
import { countShortLivedLosses, formatLosses, type Losses } from './master-key-losses.ts';
import { moveOwners } from './master-key-owners.ts';
import { type KeyChange, runRowStep, type UnreadableRows } from './master-key-rows.ts';
import { createRowSteps } from './master-key-steps.ts';

const WORD = 'lost';
/** A service notes with every sweep that it runs: after so many without a note there is none. */
const SILENT_SWEEPS = 3;
const MAX_FILE_BYTES = 1_024;

export const changeMasterKeyCommand = createCommand({
  usage: 'keys master change (--new FILE | --lost [--yes])',
  about: `Replace the master key of the records while every instance is stopped.
MASTER_KEY is the key that the records have; FILE has the new one, from keys master. All is sealed again with the new
one. Stopped or killed at any point, it goes on when it is run again. Then put the new key in place of the previous one.
With --lost, MASTER_KEY is the new key, and the one that the records have is gone: says what goes with it, and asks.`,
  help: [
    ['--new FILE', 'the file with the new key'],
    ['--lost', 'the key of the records is gone'],
    ['--yes', 'with --lost: do not ask for confirmation'],
  ],
  options: { new: { type: 'string' }, lost: { type: 'boolean' }, yes: { type: 'boolean' } },
  operands: 0,
  work: async ({ new: file, lost = false, yes = false }) => {
    if ((file === undefined) !== lost) throw createUsageFailure('Either --new FILE or --lost is needed');
    const next = file === undefined ? null : await readNewKey(file);
    return await withStore(async (services) => {
      const config = loadConfig(getIo().env);
      const keyring = await loadKeyring(config);
      const change = next === null ? { from: null, to: keyring } : { from: keyring, to: createKeyring(next) };
      if (change.from && computeMasterKeyTag(change.from) === computeMasterKeyTag(change.to))
        throw new ProgramError(
          'The new key is that of MASTER_KEY; until the change is done, MASTER_KEY is the previous one.',
          EXIT_CODES.config,
        );
      return await changeMasterKey({ ...services, config }, change, yes);
    });
  },
});

async function readNewKey(file: string): Promise<string> {
  // The message does not quote the argument, because it is the key itself.
  if (isMasterKey(file))
    throw createUsageFailure(
      '--new takes the name of a file, not the key itself. Anyone who saw this command line has the key',
    );
  const key = (await readInputFile(file, MAX_FILE_BYTES)).toString('utf8').trim();
  if (isMasterKey(key)) return key;
  throw new ProgramError(`${file}: expected ${MASTER_KEY_EXPECTED}`, EXIT_CODES.config);
}

interface ChangeServices extends CliServices {
  readonly config: Config;
}

async function changeMasterKey(
  services: ChangeServices,
  change: KeyChange,
  confirmed: boolean,
): Promise<CommandReport> {
  const { clock, config, store } = services;
  const limits = { now: clock.now(), silentMs: SILENT_SWEEPS * config.sweepSeconds * SECOND_MS };
  const isChanged = (await listPreviousKeys(store.records, change, limits)).length === 0;
  if (isChanged) return { text: formatNextSteps(config, change), json: { changed: false } };
  if (change.from === null && !confirmed) await confirmLosses(services, change);
  const previous = await store.transaction(async (records) => {
    const keys = await listPreviousKeys(records, change, limits);
    await noteMasterKey(records, change.to, null);
    return keys;
  });
  const lost = await moveRecords(services, change, change.from === null ? 'give up' : 'leave');
  await store.erase();
  if (!(await store.transaction((records) => deleteMasterKeys(records, previous))))
    throw new ProgramError(
      'A service ran meanwhile with the previous key. Stop every instance, then run this again.',
      EXIT_CODES.failure,
    );
  getIo().stderr.write(`What ended with the previous key:\n${formatLosses(lost)}`);
  return { text: formatNextSteps(config, change), json: { changed: true, lost } };
}

interface ChangeLimits {
  readonly now: number;
  readonly silentMs: number;
}

/** Those that the records have beside the new key; none if all have the new one. */
async function listPreviousKeys(
  records: Records,
  { from, to }: KeyChange,
  { now, silentMs }: ChangeLimits,
): Promise<readonly MasterKeyNote[]> {
  const keys = await listMasterKeys(records);
  const previous = keys.filter(({ tag }) => tag !== computeMasterKeyTag(to));
  if (keys.length > 0 && previous.length === 0) return previous;
  const known = from && computeMasterKeyTag(from);
  if (known !== null && (previous.length === 0 || previous.some(({ tag }) => tag !== known)))
    throw new ProgramError(
      keys.length > 1 ? MASTER_KEY_REFUSALS.unfinished : MASTER_KEY_REFUSALS.other,
      EXIT_CODES.config,
    );
  const ranAt = Math.max(...keys.map(({ sealed_at: at }) => at ?? 0));
  if (ranAt + silentMs < now) return previous;
  throw new ProgramError(
    `A service ran with these records at ${formatTimeOrDash(ranAt)}. Stop every instance, then run this again after ${formatTimeOrDash(toFullMinute(ranAt + silentMs))}.`,
    EXIT_CODES.failure,
  );
}

/** Times are shown without seconds. */
function toFullMinute(time: number): number {
  return Math.ceil(time / MINUTE_MS) * MINUTE_MS;
}

async function confirmLosses(services: ChangeServices, change: KeyChange): Promise<void> {
  const lost = await moveRecords(services, change, 'count');
  getIo().stderr.write(`What goes with the key that is lost:\n${formatLosses(lost)}`);
  if (await askConfirmation(`Type ${WORD} to give it up: `, WORD)) return;
  throw new ProgramError('Not confirmed, so nothing was changed.', EXIT_CODES.failure);
}

async function moveRecords(
  services: ChangeServices,
  change: KeyChange,
  unreadable: UnreadableRows,
): Promise<Losses> {
  const { config, store } = services;
  const { from } = change;
  const lost = await countShortLivedLosses(services);
  const options = { records: store.records, maintainer: config.site.maintainer };
  for (const step of await createRowSteps(change, options)) {
    const count = await runRowStep(store, step, unreadable);
    const kind = from === null && step.table !== 'cases' ? step.table : 'unreadable';
    lost[kind] = (lost[kind] ?? 0) + count;
  }
  for (const table of ['orders', 'cases'] as const)
    lost[`owners_of_${table}`] = await moveOwners(store, change, table, unreadable);
  if (unreadable !== 'count')
    for (const table of shortLivedTables)
      await runInBatches(store, (records, limit) => deleteShortLived(records, table, limit));
  return lost;
}

function formatNextSteps({ dataDir, store }: Config, { from }: KeyChange): string {
  if (from === null) return 'The records have the key of MASTER_KEY. Start the service.\n';
  const place =
    store.masterKey === null
      ? toMasterKeyPath(dataDir)
      : 'MASTER_KEY, or into the file that MASTER_KEY_FILE names, on every instance';
  return `The records have the new key. Put it into ${place}, then start the service.
Keep a copy of the previous key, apart from the records, for as long as you keep backups from before today.
`;
}
