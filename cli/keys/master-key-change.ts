/** The command that changes the master key of the records while no service runs. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { type Config, isMasterKey, loadConfig, MASTER_KEY_EXPECTED } from '#platform/config/config.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { MINUTE_MS, MINUTE_SECONDS, SECOND_MS } from '#platform/durations.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { runInBatches } from '#store/engine/batches.ts';
import { createKeyring, loadKeyring, toMasterKeyPath } from '#store/keys/keyring.ts';
import {
  computeMasterKeyTag,
  deleteMasterKeys,
  listMasterKeys,
  MASTER_KEY_REFUSALS,
  type MasterKeyNote,
  noteMasterKey,
} from '#store/keys/master-keys.ts';
import {
  countOpenForms,
  countOpenOffers,
  countOwnedRows,
  countRows,
  countShortLived,
  deleteShortLived,
  listOwnerTags,
  listValues,
  type OwnedTable,
  replaceOwnerTag,
  shortLivedTables,
} from '#store/keys/sealed-rows.ts';
import type { RecordOwner } from '#store/owner.ts';
import type { Records } from '#store/schema/tables.ts';
import type { Store } from '#store/store.ts';
import { type CliServices, withStore } from '../cli-services.ts';
import { type CommandReport, createCommand, createUsageFailure } from '../command.ts';
import { readInputFile } from '../terminal/files.ts';
import { getIo } from '../terminal/io.ts';
import { createCountProgress } from '../terminal/progress.ts';
import { formatCount, formatTimeOrDash } from '../terminal/table.ts';
import { requireConfirmation } from '../terminal/typed-text.ts';
import { type KeyChange, runRowStep, type UnreadableRows } from './master-key-rows.ts';
import { createRowSteps, ownerTags } from './master-key-steps.ts';

/** The noun that is counted, and the rest of the sentence, which fits singular and plural. */
const lossSentences = {
  orders: ['orders', 'whose payment is unknown until the provider sends one of its events again'],
  users: ['users', 'who signed in with an address or words: consent is asked for again'],
  notices: ['buyers', 'who requested an e-mail about news: the request has to be made again'],
  registrations: ['programs', 'whose contact is lost: MAINTAINER_EMAIL replaces it'],
  webhooks: ['webhooks', 'that programs have to set again'],
  webhook_events: ['events', 'that will not be sent to programs'],
  case_webhooks: ['cases', 'whose program receives no events until it sets its webhook again'],
  order_webhooks: ['orders', 'whose program is not notified when they are paid'],
  kept_secrets: ['secrets', 'of the service, which its next start creates again'],
  unreadable: ['rows', 'that could not be encrypted again, left unchanged'],
  owners_of_orders: ['orders', 'that no program can find any longer'],
  owners_of_cases: ['cases', 'that no program can find any longer; the words still work'],
  forms: [
    'paid orders',
    'not used yet, whose form the browser no longer remembers: the address shown after the payment opens it',
  ],
  offers: ['links', `to credentials, sent but not used: ${PROGRAM_NAME} agents approve ID sends a new one`],
  tokens: [
    'sign-ins',
    `of the last ${oauthLifetimes.signIn / MINUTE_SECONDS} minutes: those under way start over`,
  ],
  sign_in_codes: ['sign-in codes', 'sent by e-mail'],
  draft_keys: ['drafts', 'of inquiries, stored in a browser'],
  idempotency: ['requests', 'that would count as new if repeated with the same Idempotency-Key'],
  provider_events: [
    'events',
    'of the payment provider that would be processed again if sent again, which does no harm',
  ],
} as const satisfies Readonly<Record<string, readonly [string, string]>>;

type LossKind = keyof typeof lossSentences;
type Losses = Partial<Record<LossKind, number>>;

/** A service stores the time with every sweep: if this many sweeps have stored none, no service runs. */
const SILENT_SWEEPS = 3;
const MAX_FILE_BYTES = 1_024;

export const changeMasterKeyCommand = createCommand({
  usage: 'keys master change (--new FILE | --lost [--yes])',
  about: `Replace the master key of the records while every instance is stopped.
MASTER_KEY is the current key of the records; FILE contains the new one, from keys master. Everything is encrypted again with the
new key. If this is interrupted, run it again: it continues. Afterwards replace the previous key with the new one.
With --lost, MASTER_KEY is the new key, because the current key of the records is lost. The command lists what else will be lost, and asks.`,
  options: [
    ['--new FILE', 'the file with the new key'],
    ['--lost', 'the current key of the records is lost'],
    ['--yes', 'with --lost: do not ask for confirmation'],
  ],
  work: async ({ new: file, lost = false, yes = false }) => {
    if ((file === undefined) !== lost) throw createUsageFailure('Use either --new FILE or --lost');
    const next = file === undefined ? null : await readNewKey(file);
    return await withStore(async (services) => {
      const config = loadConfig(getIo().env);
      const keyring = await loadKeyring(config);
      const change = next === null ? { from: null, to: keyring } : { from: keyring, to: createKeyring(next) };
      if (change.from && computeMasterKeyTag(change.from) === computeMasterKeyTag(change.to))
        throw new ProgramError(
          'The new key is the same as MASTER_KEY; until the change is done, MASTER_KEY must be the previous one.',
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

type ChangeServices = CliServices & { readonly config: Config };

async function changeMasterKey(
  services: ChangeServices,
  change: KeyChange,
  confirmed: boolean,
): Promise<CommandReport> {
  const { clock, config, store } = services;
  // Read once: a service that runs while the question waits for its answer is noticed.
  const now = clock.now();
  const isChanged = (await listPreviousKeys(config, store.records, change, now)).length === 0;
  if (isChanged) return { text: formatNextSteps(config, change), json: { changed: false } };
  if (change.from === null && !confirmed) {
    const expected = formatLosses(await moveRecords(services, change, 'count'));
    getIo().stderr.write(`If you continue, the following is lost with the key:\n${expected}`);
    await requireConfirmation('Type lost to continue: ', 'lost', 'nothing was changed');
  }
  const previous = await store.transaction(async (records) => {
    const keys = await listPreviousKeys(config, records, change, now);
    await noteMasterKey(records, change.to, null);
    return keys;
  });
  const lost = await moveRecords(services, change, change.from === null ? 'give up' : 'leave');
  await store.erase();
  if (!(await store.transaction((records) => deleteMasterKeys(records, previous))))
    throw new ProgramError(
      'A service ran with the previous key in the meantime. Stop every instance, then run this again.',
    );
  getIo().stderr.write(`Lost with the previous key:\n${formatLosses(lost)}`);
  return { text: formatNextSteps(config, change), json: { changed: true, lost } };
}

/** Returns the keys in use besides the new one; none if everything has been moved to the new one. */
async function listPreviousKeys(
  { sweepSeconds }: Config,
  records: Records,
  { from, to }: KeyChange,
  now: number,
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
  const silentAt = ranAt + SILENT_SWEEPS * sweepSeconds * SECOND_MS;
  if (silentAt < now) return previous;
  // Rounded up, because times are shown without seconds.
  const fullMinute = Math.ceil(silentAt / MINUTE_MS) * MINUTE_MS;
  throw new ProgramError(
    `A service ran with these records at ${formatTimeOrDash(ranAt)}. Stop every instance, then run this again after ${formatTimeOrDash(fullMinute)}.`,
  );
}

async function moveRecords(
  services: ChangeServices,
  change: KeyChange,
  unreadable: UnreadableRows,
): Promise<Losses> {
  const { config, store } = services;
  const lost = await countShortLivedLosses(services);
  for (const step of await createRowSteps(change, store.records, config.site.maintainer)) {
    const counts = await runRowStep(store, step, unreadable);
    const table = step.table === 'cases' ? 'unreadable' : step.table;
    const kind = change.from === null ? table : 'unreadable';
    lost[kind] = (lost[kind] ?? 0) + counts.unreadable;
    lost[table] = (lost[table] ?? 0) + counts.merged;
  }
  for (const table of ['orders', 'cases'] as const)
    lost[`owners_of_${table}`] = await moveOwners(store, change, table, unreadable);
  if (unreadable !== 'count')
    for (const table of shortLivedTables)
      await runInBatches(store, (records, limit) => deleteShortLived(records, table, limit));
  return lost;
}

function formatNextSteps({ dataDir, store }: Config, { from }: KeyChange): string {
  if (from === null) return 'The records now use the key in MASTER_KEY. Start the service.\n';
  const place =
    store.masterKey === null
      ? toMasterKeyPath(dataDir)
      : 'MASTER_KEY, or into the file that MASTER_KEY_FILE names, on every instance';
  return `The records now use the new key. Put it into ${place}, then start the service.
Keep a copy of the previous key, apart from the records, for as long as you keep backups from before today.
`;
}

/** Returns the number of rows whose owner is not found: the client or user is gone, or the previous key is lost. */
async function moveOwners(
  store: Store,
  { from, to }: KeyChange,
  table: OwnedTable,
  unreadable: UnreadableRows,
): Promise<number> {
  const { records } = store;
  const progress = createCountProgress(`programs with ${table}`, await countRows(records, 'clients'));
  const unknown = new Set(await listOwnerTags(records, table));
  for await (const clientId of listValues(records, ['clients', 'id'])) {
    if (unknown.size === 0) break;
    progress.add(1);
    for await (const owner of listOwnersAt(records, clientId)) {
      if (unknown.size === 0) break;
      const tag = ownerTags[table](to, owner);
      unknown.delete(tag);
      const previous = from && ownerTags[table](from, owner);
      if (previous !== null && unknown.delete(previous)) await replaceOwner(store, table, previous, tag);
    }
  }
  progress.finish();
  let lost = 0;
  for (const owner of unknown) {
    lost += await countOwnedRows(records, table, owner);
    if (unreadable === 'give up') await replaceOwner(store, table, owner, null);
  }
  return lost;
}

async function* listOwnersAt(records: Records, clientId: string): AsyncGenerator<RecordOwner> {
  yield { clientId, userId: null };
  for await (const userId of listValues(records, ['users', 'id'])) yield { clientId, userId };
}

async function replaceOwner(
  store: Store,
  table: OwnedTable,
  previous: string,
  owner: string | null,
): Promise<void> {
  await runInBatches(store, (records, limit) => replaceOwnerTag(records, table, { previous, owner, limit }));
}

/** Counts what every change of the key loses, because it cannot be computed again. */
async function countShortLivedLosses({ clock, store }: CliServices): Promise<Losses> {
  const lost: Losses = {
    forms: await countOpenForms(store.records, clock.now()),
    offers: await countOpenOffers(store.records, clock.now()),
  };
  for (const table of shortLivedTables) lost[table] = await countShortLived(store.records, table);
  return lost;
}

function formatLosses(lost: Losses): string {
  const kinds = Object.keys(lossSentences) as LossKind[];
  const lines = kinds.map((kind) => {
    const [nouns, rest] = lossSentences[kind];
    const count = lost[kind] ?? 0;
    return count === 0 ? '' : `  ${formatCount(count, nouns)} ${rest}\n`;
  });
  return lines.join('') || '  nothing\n';
}
