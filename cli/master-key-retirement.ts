/** The command that ends the former master key: moves every row to the new one, says what is lost, and asks. */
import { createFormerCodesEnd } from '#oauth/sign-in/former-codes.ts';
import { loadConfig } from '#platform/config.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { deleteMasterKey, type FormerMasterKey, findFormerMasterKey } from '#store/master-keys.ts';
import type { RotationCounts, RotationStep } from '#store/rotation.ts';
import { countRotatedRows } from '#store/rotation-rows.ts';
import { formatTimeOrDash } from './case-facts.ts';
import { type KeyedCliServices, withStoreAndKeyring } from './cli-services.ts';
import { type CommandReport, createCommand } from './command.ts';
import { askConfirmation } from './confirmation.ts';
import { CommandFailure } from './failure.ts';
import { getIo } from './io.ts';
import { countTimedLosses, formatLostTags, type LostTags } from './master-key-losses.ts';
import { moveOwners } from './master-key-owners.ts';
import { createRotationSteps } from './master-key-steps.ts';
import { createRowProgress } from './row-progress.ts';

const WORD = 'end';
/** An instance notes with every sweep which key it seals with: after so many without a note there is none. */
const SILENT_SWEEPS = 3;

const ENDED = `The former key is ended. Remove it from MASTER_KEY on every instance and restart them.
Keep a copy of it, apart from the records, for as long as you keep backups from before today.
`;
const NOT_NEEDED = `The records do not need the second key of MASTER_KEY. If it is the former one, remove it and restart
every instance. If it is the new one, put it first and restart them; then run this command again.
`;

export const retireMasterKeyCommand = createCommand({
  usage: 'keys master retire [--yes]',
  about: `End the former one of the two keys in MASTER_KEY.
Seals and tags every record again with the first key, beside the running service, and says what would no longer be
found. Then asks, and ends the second key. May be stopped and run again at any time.`,
  help: [['--yes', 'do not ask for confirmation']],
  options: { yes: { type: 'boolean' } },
  operands: 0,
  work: async ({ yes }) =>
    await withStoreAndKeyring(async (services) => await retireMasterKey(services, yes ?? false)),
});

async function retireMasterKey(services: KeyedCliServices, confirmed: boolean): Promise<CommandReport> {
  if (services.keyring.keys.length < 2)
    throw new CommandFailure(
      'MASTER_KEY has one key, so there is none to end; the new and the former key are needed, in this order, with a comma between them.',
      EXIT_CODES.config,
    );
  if (!(await findFormerMasterKey(services)))
    return { text: NOT_NEEDED, json: { ended: false, needed: false } };
  const startedAt = services.clock.now();
  const moved = await moveRows(services);
  await services.store.erase();
  // Read again: an instance may have used the former key meanwhile.
  const former = await findFormerMasterKey(services);
  if (!former) return { text: NOT_NEEDED, json: { ended: false, needed: false } };
  requireUnused(former, startedAt);
  const lost: LostTags = { ...moved.lost, ...(await countTimedLosses(services, former)) };
  getIo().stderr.write(`${formatMoved(moved.counts)}${formatLostTags(lost)}`);
  if (!confirmed && !(await askConfirmation(`Type ${WORD} to end the former key: `, WORD)))
    throw new CommandFailure(
      'Not confirmed, so the former key stays. What is sealed again stays so.',
      EXIT_CODES.failure,
    );
  await endFormerKey(services, former);
  return { text: ENDED, json: { ended: true, moved: moved.counts, lost } };
}

/** Rows that such an instance writes after the pass would be lost with the key. */
function requireUnused({ sealedAt }: FormerMasterKey, startedAt: number): void {
  const earliest = sealedAt + SILENT_SWEEPS * loadConfig(getIo().env).sweepSeconds * SECOND_MS;
  if (earliest < startedAt) return;
  throw new CommandFailure(
    `The former key stays: a program that seals with it ran at ${formatTimeOrDash(sealedAt)}. Put the new key first on every instance, then run this again after ${formatTimeOrDash(toFullMinute(earliest))}. What is sealed again stays so.`,
    EXIT_CODES.failure,
  );
}

/** Times are shown without seconds. */
function toFullMinute(time: number): number {
  return Math.ceil(time / MINUTE_MS) * MINUTE_MS;
}

async function endFormerKey(services: KeyedCliServices, former: FormerMasterKey): Promise<void> {
  await runStep(services, createFormerCodesEnd(services.keyring));
  const ended = await deleteMasterKey(services, former);
  await services.store.erase();
  if (ended) return;
  throw new CommandFailure(
    'A program has used the former key meanwhile, so the key stays. Put the new key first on every instance, then run this again.',
    EXIT_CODES.failure,
  );
}

interface MovedRows {
  /** How many rows of each kind were sealed or tagged again. */
  readonly counts: Readonly<Record<string, number>>;
  readonly lost: Pick<LostTags, 'cases' | 'orders' | 'unreadable' | 'users'>;
}

async function moveRows(services: KeyedCliServices): Promise<MovedRows> {
  const counts: Record<string, number> = {};
  let [unreadable, users] = [0, 0];
  for (const step of createRotationSteps(services.keyring)) {
    const { moved, left, unreadable: closed } = await runStep(services, step);
    counts[step.what] = moved;
    unreadable += closed;
    users += left;
  }
  const lost = { orders: 0, cases: 0 };
  for (const table of ['orders', 'cases'] as const) {
    const progress = createRowProgress(
      `programs with ${table}`,
      await countRotatedRows(services.store.records, 'clients'),
    );
    const owners = await moveOwners(services, table, progress.add);
    progress.finish();
    counts[`owners of ${table}`] = owners.moved;
    lost[table] = owners.lost;
  }
  return { counts, lost: { ...lost, unreadable, users } };
}

async function runStep({ store }: KeyedCliServices, step: RotationStep): Promise<RotationCounts> {
  const progress = createRowProgress(step.what, await countRotatedRows(store.records, step.table));
  const counts = await step.run(store, progress.add);
  progress.finish();
  return counts;
}

function formatMoved(counts: MovedRows['counts']): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  if (parts.length === 0) return 'Nothing was left to seal again.\n';
  return `Sealed again with the first key: ${parts.map(([what, count]) => `${what} ${count}`).join(', ')}.\n`;
}
