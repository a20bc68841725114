/** The end of a story: faults are over, time goes on, and within some sweeps everything that is due is settled. */
import assert from 'node:assert/strict';
import { DAY_MS, MINUTE_MS } from '#platform/durations.ts';
import { createDraw } from './draw.ts';
import { moveClockWrong } from './faults.ts';
import { deliverCase } from './investigators.ts';
import { isOpen, isThere, mayBeForgotten } from './model.ts';
import { collectEvents, openForm } from './purchases.ts';
import { passTime, trustClock } from './time.ts';
import type { Instance, World } from './world.ts';

/** Webhooks go out at every second minute, in turns for orders and for cases; after failures, an hour later. */
const HOURS = [1, 1, 1, 1, 61, 1, 1, 1, 61, 1, 1, 1];
const MAX_DELIVERED = 2;
const MAX_FORMS = 5;
/** For the longest that a case may be kept, from the latest day that a wrong clock can have shown. */
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
  // Every case that was answered ends with its purge.
  const ended = model.cases.filter(({ purgeAt }) => purgeAt !== null);
  passTime(world, LAST_DAYS * DAY_MS);
  await trustClock(world);
  for (const instance of [...world.instances, ...world.instances])
    await sweepAfter(world, instance, MINUTE_MS);
  // In that time, banks decide about late payments, and a sweep asks the provider about them.
  await collectEvents(world);
  for (const one of ended) assert.ok(one.isErased, `case ${one.number} was not purged in the end`);
}

/** Instances in turn, so that what is due is settled though each of them sweeps less often. */
async function sweepOften(world: World): Promise<void> {
  for (const [turn, minutes] of HOURS.entries())
    await sweepAfter(world, world.instances[turn % world.instances.length]!, minutes * MINUTE_MS);
  await collectEvents(world);
}

async function sweepAfter(world: World, instance: Instance, ms: number): Promise<void> {
  passTime(world, ms);
  await world.sweep(instance);
}

/** Whatever was lost on the way, the office knows by itself what was paid. */
async function checkPayments(world: World): Promise<void> {
  for (const purchase of world.model.purchases) {
    if (purchase.agent === null || purchase.orderId === null) continue;
    if (mayBeForgotten(purchase, world.now())) continue;
    const path = `/orders/${purchase.orderId}`;
    const answer = await world.sendAsAgent(world.instances[0]!, purchase.agent, path);
    const { status } = answer.json;
    // Of what happens after a payment, only webhooks tell.
    const mayBeHeld = purchase.isHeld || purchase.dispute !== null;
    if (purchase.truth === 'paid' && purchase.opened === null)
      assert.ok(
        status === 'paid' || (mayBeHeld && status === 'held'),
        `purchase ${purchase.number} is paid, but ${status}`,
      );
  }
  // The buyers of the site have no list, but their form.
  const ofSite = world.model.purchases.filter(
    ({ agent, truth, opened, isHeld }) => agent === null && truth === 'paid' && opened === null && !isHeld,
  );
  for (const purchase of ofSite.slice(-MAX_FORMS))
    assert.ok(
      await openForm(world, world.instances[0]!, purchase),
      `purchase ${purchase.number} has no form`,
    );
}

/** What the desk delivers now, the agent of the case is told soon, though its receiver was away before. */
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
