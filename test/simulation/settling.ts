/** The end of a story: after all faults have ended, some sweeps must settle everything that is due. */
import assert from 'node:assert/strict';
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import { createDraw } from './draw.ts';
import { moveClockWrong } from './faults.ts';
import { deliverCase } from './investigators.ts';
import { isOpen, isThere, mayBeForgotten } from './model.ts';
import { collectEvents, openForm } from './purchases.ts';
import { passTime, trustClock } from './time.ts';
import type { Instance, World } from './world.ts';

/** In minutes. Webhooks are sent every second minute, for orders and cases in turn; after failures, an hour later. */
const HOURS = [1, 1, 1, 1, 61, 1, 1, 1, 61, 1, 1, 1];
const MAX_DELIVERED = 2;
const MAX_FORMS = 5;
/** The longest retention of a case, from the latest day that a wrong clock can have shown. */
const LAST_DAYS = 366 + 41;

export async function settleEverything(world: World): Promise<void> {
  const { faults, model } = world;
  Object.assign(faults, {
    isProviderAway: false,
    isMailAway: false,
    isReceiverAway: false,
    isDiskFull: false,
  });
  if (faults.clockOffset !== 0) await moveClockWrong(world, null);
  await world.setFaults();
  await trustClock(world);
  await sweepOften(world);
  await checkPayments(world);
  await checkWebhooks(world);
  // Every case with a purge date must be purged in the end.
  const ended = model.cases.filter(({ purgeAt }) => purgeAt !== null);
  passTime(world, LAST_DAYS * DAY_MS);
  await trustClock(world);
  for (const instance of [...world.instances, ...world.instances])
    await sweepAfter(world, instance, MINUTE_MS);
  // Meanwhile, banks decide about late payments, and a sweep asks the provider about them.
  await collectEvents(world);
  for (const one of ended) assert.ok(one.isErased, `case ${one.number} was not purged in the end`);
}

/** Alternates between the instances, of which each sweeps less often. */
async function sweepOften(world: World): Promise<void> {
  for (const [turn, minutes] of HOURS.entries())
    await sweepAfter(world, world.instances[turn % world.instances.length]!, minutes * MINUTE_MS);
  await collectEvents(world);
}

async function sweepAfter(world: World, instance: Instance, ms: number): Promise<void> {
  passTime(world, ms);
  await world.sweep(instance);
}

/** Checks that the office knows every payment, even if webhooks were lost. */
async function checkPayments(world: World): Promise<void> {
  for (const purchase of world.model.purchases) {
    if (purchase.agent === null || purchase.orderId === null) continue;
    if (mayBeForgotten(purchase, world.now())) continue;
    const path = `/orders/${purchase.orderId}`;
    const answer = await world.sendAsAgent(world.instances[0]!, purchase.agent, path);
    const { status } = answer.json;
    // Only webhooks report what happens after a payment.
    const mayBeHeld = purchase.isHeld || purchase.dispute !== null;
    if (purchase.truth === 'paid' && purchase.opened === null)
      assert.ok(
        status === 'paid' || (mayBeHeld && status === 'held'),
        `purchase ${purchase.number} is paid, but ${status}`,
      );
  }
  // Buyers on the site have no list of orders, so their forms are checked.
  const ofSite = world.model.purchases.filter(
    ({ agent, truth, opened, isHeld }) => agent === null && truth === 'paid' && opened === null && !isHeld,
  );
  for (const purchase of ofSite.slice(-MAX_FORMS))
    assert.ok(
      await openForm(world, world.instances[0]!, purchase),
      `purchase ${purchase.number} has no form`,
    );
}

/** Checks that an agent is soon notified of a new delivery, even if its receiver was unavailable before. */
async function checkWebhooks(world: World): Promise<void> {
  const { model, receiver } = world;
  const followed = model.cases.filter(
    (one) => one.isFollowed && isOpen(one.state) && one.words === null && isThere(one, world.now()),
  );
  const told = followed.slice(0, MAX_DELIVERED);
  for (const one of told) await deliverCase(world, createDraw([0]), one);
  await sweepOften(world);
  for (const { id, number, agent } of told)
    assert.ok(
      receiver.received.some(
        ({ path, body }) =>
          path.endsWith(`/${agent?.number}`) && body.includes(id) && body.includes('case.delivered'),
      ),
      `agent ${agent?.number} was never told that case ${number} is delivered`,
    );
}
