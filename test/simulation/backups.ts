/** Commands of backups: back up the office while it runs, and restore an older backup into an empty place. */
import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { writeKeysBackup } from '#backup/write-backup.ts';
import { computeSessionTag } from '#payments/session-id.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { findOrderBySession } from '#store/orders/orders.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import type { Draw } from './draw.ts';
import { clearAskedPurge, type Purchase } from './model.ts';
import { type Command, createChoosingCommand } from './simulation.ts';
import { passTime } from './time.ts';
import type { Backup, Instance, World } from './world.ts';

/** Older backups are deleted, as an operator would. */
const MAX_BACKUPS = 3;

export const backupCommands: readonly Command[] = [
  { name: 'back up', weight: 3, fault: 'restore', isPossible: mayBackUp, run: backUp },
  createChoosingCommand(
    { name: 'restore an older backup', weight: 2, fault: 'restore' },
    (world) => (mayBackUp(world) ? world.backups : []),
    restore,
  ),
  createChoosingCommand(
    { name: 'release an order on hold', weight: 10, fault: 'restore' },
    (world) => (world.faults.isProviderAway ? [] : listHeld(world)),
    releaseOrder,
  ),
];

/** A restore on PostgreSQL needs an empty database; a wrong clock would give a backup the wrong day. */
function mayBackUp({ options, faults }: World): boolean {
  return !options.database['DATABASE_URL'] && faults.clockOffset === 0 && !faults.isDiskFull;
}

async function backUp(world: World): Promise<string> {
  const folder = world.backupFolder ?? (await world.createFolder());
  world.backupFolder = folder;
  // Otherwise two backups within a second would have the same name.
  passTime(world, MINUTE_MS);
  const { records } = await runForJson<{ records: { file: string } }>(world, ['backup', '--to', folder]);
  const { cases, purchases } = world.model;
  world.backups = [
    ...world.backups,
    {
      path: join(folder, basename(records.file)),
      cases: new Map(cases.map((one) => [one, { ...one, parts: [...one.parts] }])),
      purchases: new Map(purchases.map((each) => [each, { ...each }])),
    },
  ].slice(-MAX_BACKUPS);
  return `the office is backed up with ${cases.length} cases`;
}

/** Simulates the loss of the machine just after the hourly copy of the keys; the records are from an earlier backup. */
async function restore(world: World, _draw: Draw, backup: Backup): Promise<string> {
  const [{ services }] = world.instances as [Instance];
  const { desk } = await services.sealingKeys;
  passTime(world, MINUTE_MS);
  const target = {
    folder: world.backupFolder!,
    recipients: desk,
    watch: (plain: AsyncIterable<Uint8Array>) => plain,
  };
  await writeKeysBackup(services, target);
  passTime(world, MINUTE_MS);
  await world.restart('stop', async () => {
    world.dataDir = await world.createFolder();
    const key = join(world.dataDir, 'keys', 'desk.key');
    const from = ['--from', world.backupFolder!, '--records', backup.path];
    await runForJson(world, ['restore', ...from, '--key', key, '--yes']);
    world.noted = world.now();
  });
  await world.setFaults();
  goBack(world, backup);
  return `the office is restored from a backup with ${backup.cases.size} cases`;
}

/** Restores the model: purged cases stay purged, later ones are lost, orders that may have been used are held. */
function goBack(world: World, { cases, purchases }: Backup): void {
  const { model } = world;
  for (const one of model.cases) {
    const copy = cases.get(one);
    const wasGone = one.isGone;
    if (copy) Object.assign(one, copy, { parts: [...copy.parts], noticeAddress: null });
    if (one.isPurgeAsked) {
      one.purgeAt = one.keptUntil;
      clearAskedPurge(one);
    }
    one.isGone = wasGone || !copy || (one.purgeAt !== null && one.purgeAt <= world.now());
    one.isErased = one.isGone;
  }
  const lost = model.purchases.filter((each) => !purchases.has(each));
  model.purchases = model.purchases.filter((each) => purchases.has(each));
  for (const purchase of model.purchases) {
    const { told, opened } = purchases.get(purchase)!;
    Object.assign(purchase, { told, opened, form: null, isHeld: opened === null });
  }
  // For a payment whose order is lost, the provider is asked to retry, and an operator to refund it.
  const isKnown = ({ data: { object } }: World['events']['delivered'][number]) =>
    !lost.some(
      ({ sessionId, payment }) =>
        sessionId === object.id || (payment !== null && payment === object.payment_intent),
    );
  world.events.waiting = world.events.waiting.filter(isKnown);
  world.events.delivered = world.events.delivered.filter(isKnown);
  // Backups contain no uploads that do not belong to a case yet.
  for (const each of model.uploads) each.isDeleted = each.isGone = true;
  for (const agent of model.agents) Object.assign(agent, { token: null, hasWebhook: false });
  world.desk = null;
  world.backupFolder = null;
  world.backups = [];
  world.seenGone.clear();
  // An e-mail that was sent since the backup may be sent again.
  world.faults.hasCrashed = world.hasTrouble = world.isWholeLookDue = true;
}

function listHeld({ model }: World): Purchase[] {
  return model.purchases.filter(({ isHeld, truth }) => isHeld && truth === 'paid');
}

/** The pause before the next check after one that found the provider unavailable. */
const CHECK_WAIT_MS = 10 * MINUTE_MS;
/** The pause before the next check after one that found the payment pending at a bank. */
const BANK_WAIT_MS = HOUR_MS;

/** Waits until the provider has been asked, as the command requires. */
async function releaseOrder(world: World, _draw: Draw, purchase: Purchase): Promise<string> {
  const [instance] = world.instances as [Instance];
  const { keyring, store } = instance.services;
  const order = await findOrderBySession(store.records, computeSessionTag(keyring, purchase.sessionId));
  passTime(world, order?.payment === 'processing' ? BANK_WAIT_MS : CHECK_WAIT_MS);
  await world.sweep(instance);
  const { code, stderr } = await runCli(await world.buildEnv(), ['orders', 'release', String(order?.id)]);
  assert.equal(code, 0, stderr);
  purchase.isHeld = false;
  // Only a webhook reports the end of a dispute, and it may be lost.
  if (purchase.dispute === null) purchase.told = purchase.truth;
  return `an operator releases the order of purchase ${purchase.number}`;
}

async function runForJson<Result>(world: World, words: readonly string[]): Promise<Result> {
  const { code, stdout, stderr } = await runCli(await world.buildEnv(), [...words, '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Result;
}
