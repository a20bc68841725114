/** Commands that open cases: uploads in pieces, the site's form, the API with sealed and plain inquiries. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { DELIVERY_HOURS } from '#payments/tiers.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import { deriveWordLookup, generateWords } from '#seal/core/words.ts';
import { samplePlainInquiry } from '#test/api/api-testbed.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { postOpening, putUploadPiece, splitIntoPieces } from '#test/cases/sealed-form.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import type { Draw } from './draw.ts';
import { KEEP_DAYS, type Part, type Purchase, type SimulatedCase } from './model.ts';
import { openForm } from './purchases.ts';
import { sendTogether } from './requests.ts';
import { createNewCase, createPart, type NewCase } from './sealed-parts.ts';
import { type Command, createChoosingCommand, requireStatus } from './simulation.ts';
import type { Instance, World } from './world.ts';

export const inquiryCommands: readonly Command[] = [
  createChoosingCommand(
    { name: 'submit on the site', weight: 12, mayCrash: true },
    listUnusedOnSite,
    submitOnSite,
  ),
  createChoosingCommand(
    { name: 'submit as an agent', weight: 12, mayCrash: true },
    listUnusedByAgents,
    submitAsAgent,
  ),
  createChoosingCommand(
    { name: 'submit without a good payment', weight: 4 },
    ({ model }) => model.purchases.filter(isUnusable),
    async (world, draw, purchase) =>
      await (purchase.agent === null ? submitOnSite : submitAsAgent)(world, draw, purchase),
  ),
  createChoosingCommand({ name: 'submit plain text', weight: 3 }, listUnusedByAgents, submitPlain),
  createChoosingCommand(
    { name: 'leave an upload', weight: 4, mayCrash: true },
    listUnusedByAgents,
    leaveUpload,
  ),
  createChoosingCommand({ name: 'submit twice at once', weight: 5 }, listUnusedByAgents, submitTwice),
];

/** Uploads for an inquiry that never arrives: after a day nothing of it must remain. */
async function leaveUpload(world: World, draw: Draw, purchase: Purchase): Promise<string> {
  const part = createPart(world.templates.file, 'inquiry-file.v1', 0);
  const path = `/orders/${purchase.orderId}/uploads/${generateId()}/0`;
  const ask = { method: 'PUT', body: part.bytes };
  const answer = await world.sendAsAgent(draw.pick(world.instances), purchase.agent!, path, ask);
  if (answer.status === 204)
    world.model.uploads.push({ part, at: world.now(), isDeleted: false, isGone: false });
  else assertRefused(world, purchase, answer);
  return `an upload for purchase ${purchase.number} is left alone: ${answer.status}`;
}

/** True if the office must accept an inquiry for the purchase. */
function isUsable({ truth, told, opened, isHeld }: Purchase): boolean {
  return truth === 'paid' && told === 'paid' && opened === null && !isHeld;
}

/** True if the office must not accept an inquiry: never paid, already used, or on hold. */
function isUnusable({ truth, opened, isHeld }: Purchase): boolean {
  return opened !== null || isHeld || truth === 'open' || truth === 'failed' || truth === 'expired';
}

/** Lists purchases that are paid, whether the office knows it or not. */
function listUnusedOnSite({ model }: World): Purchase[] {
  return model.purchases.filter(
    ({ truth, opened, agent }) => truth === 'paid' && opened === null && agent === null,
  );
}

function listUnusedByAgents({ model }: World): Purchase[] {
  return model.purchases.filter(
    ({ truth, opened, agent }) => truth === 'paid' && opened === null && agent !== null,
  );
}

async function submitOnSite(world: World, draw: Draw, purchase: Purchase): Promise<string> {
  if (purchase.form === null) await openForm(world, draw.pick(world.instances), purchase);
  const { form } = purchase;
  if (form === null) return `there is no form for purchase ${purchase.number}`;
  const fresh = createNewCase(world.templates);
  const inquiry = createPart(world.templates.envelope, 'inquiry.v1', 0);
  const files = Array.from({ length: draw.below(3) }, (_, seq) =>
    createPart(draw.chance(10) ? world.templates.largeFile : world.templates.file, 'inquiry-file.v1', seq),
  );
  const uploads = [inquiry, ...files].map((part) => ({ upload: generateId(), part }));
  const instance = () => world.instances[draw.below(world.instances.length)]!;
  const pieces = uploads.flatMap(({ upload, part }) =>
    splitIntoPieces({ upload, bytes: part.bytes }).map((bytes, piece) => ({ upload, piece, bytes })),
  );
  // Sends the pieces in any order, and some of them twice.
  for (const { upload, piece, bytes } of draw.shuffle([
    ...pieces,
    ...(draw.chance(30) ? pieces.slice(0, 1) : []),
  ])) {
    const answer = await putUploadPiece(
      { get: (path, ask) => world.send(instance(), path, ask) },
      form,
      { upload, piece },
      bytes,
    );
    if (answer.status !== 204) {
      assertRefused(world, purchase, answer);
      return `an upload for purchase ${purchase.number} is refused with ${answer.status}`;
    }
  }
  for (const { part } of uploads)
    world.model.uploads.push({ part, at: world.now(), isDeleted: false, isGone: false });
  const keepDays = draw.pick(KEEP_DAYS);
  const opening = {
    lookup_hash: fresh.lookupHash,
    case_key: fresh.caseKey.toString('base64url'),
    sealing_set: (await world.instances[0]!.services.sealingKeys).set,
    inquiry: { upload: uploads[0]!.upload, size: inquiry.bytes.length },
    files: uploads.slice(1).map(({ upload, part }) => ({ upload, size: part.bytes.length })),
    keep_days: keepDays,
    terms_version: CURRENT_TERMS,
  };
  const post = async () =>
    await postOpening({ get: (path, ask) => world.send(instance(), path, ask) }, form, opening);
  const answer = await post();
  if (answer.status !== 200) {
    assertRefused(world, purchase, answer);
    return `an inquiry for purchase ${purchase.number} is refused with ${answer.status}`;
  }
  // A lost response, or two tabs: the same inquiry leads to the same case.
  if (draw.chance(30)) requireStatus(await post(), 200);
  return await noteCase(world, purchase, fresh, {
    parts: [inquiry, ...files],
    keepDays,
    id: null,
    words: null,
  });
}

async function submitAsAgent(world: World, draw: Draw, purchase: Purchase): Promise<string> {
  const agent = purchase.agent!;
  const instance = draw.pick(world.instances);
  const fresh = createNewCase(world.templates);
  const inquiry = createPart(world.templates.envelope, 'inquiry.v1', 0);
  const files = draw.chance(25) ? [createPart(world.templates.file, 'inquiry-file.v1', 0)] : [];
  const uploads = files.map((part) => ({ upload: generateId(), part }));
  for (const { upload, part } of uploads) {
    const path = `/orders/${purchase.orderId}/uploads/${upload}/0`;
    const answer = await world.sendAsAgent(instance, agent, path, { method: 'PUT', body: part.bytes });
    if (answer.status !== 204) {
      assertRefused(world, purchase, answer);
      return `an upload for purchase ${purchase.number} is refused with ${answer.status}`;
    }
  }
  const keepDays = draw.pick(KEEP_DAYS);
  const body = {
    ...(files.length === 0 && draw.chance(20)
      ? { session_id: purchase.sessionId }
      : { order_id: purchase.orderId }),
    terms_version: CURRENT_TERMS,
    keep_days: keepDays,
    sealed: {
      lookup_hash: fresh.lookupHash,
      case_key: fresh.caseKey.toString('base64url'),
      envelope: inquiry.bytes.toString('base64url'),
      ...(uploads.length > 0 && {
        files: uploads.map(({ upload, part }) => ({ upload, size: part.bytes.length })),
      }),
    },
  };
  const headers = draw.chance(50) ? { 'idempotency-key': randomUUID() } : {};
  const post = async (by: Instance) =>
    await world.sendAsAgent(by, agent, '/inquiries', { method: 'POST', body, headers });
  const answer = await post(instance);
  if (answer.status !== 201) {
    assertRefused(world, purchase, answer);
    return `an inquiry for purchase ${purchase.number} is refused with ${answer.status}`;
  }
  if (draw.chance(30)) {
    const again = await post(draw.pick(world.instances));
    requireStatus(again, 201);
    assert.equal(again.json['id'], answer.json['id'], 'the same inquiry opens a second case');
  }
  const id = String(answer.json['id']);
  return await noteCase(world, purchase, fresh, { parts: [inquiry, ...files], keepDays, id, words: null });
}

async function submitPlain(world: World, draw: Draw, purchase: Purchase): Promise<string> {
  const words = generateWords();
  const canary = `CANARY-${randomUUID()}`;
  const inquiry = { ...samplePlainInquiry, question: `Who is this? ${canary}`, subject: canary };
  const answer = await world.sendAsAgent(draw.pick(world.instances), purchase.agent!, '/inquiries', {
    method: 'POST',
    body: { order_id: purchase.orderId, terms_version: CURRENT_TERMS, plain: { inquiry, words } },
    headers: { 'idempotency-key': randomUUID() },
  });
  if (answer.status !== 201) {
    assertRefused(world, purchase, answer);
    return `a plain inquiry for purchase ${purchase.number} is refused with ${answer.status}`;
  }
  world.canaries.push(canary);
  const { lookupToken, lookupHash } = deriveWordLookup(words);
  const fresh = { lookupToken, lookupHash, caseKey: Buffer.alloc(0) };
  return await noteCase(world, purchase, fresh, {
    parts: [],
    keepDays: 30,
    id: String(answer.json['id']),
    words,
  });
}

/** Sends two different inquiries for one payment concurrently: one opens a case, the other must be refused. */
async function submitTwice(world: World, draw: Draw, purchase: Purchase): Promise<string> {
  const instance = draw.pick(world.instances);
  const tries = [0, 1].map(() => ({
    fresh: createNewCase(world.templates),
    inquiry: createPart(world.templates.envelope, 'inquiry.v1', 0),
  }));
  const by = purchase.agent ?? world.model.agents[0]!;
  const post = async ({ fresh, inquiry }: (typeof tries)[number]) => {
    const sealed = {
      lookup_hash: fresh.lookupHash,
      case_key: fresh.caseKey.toString('base64url'),
      envelope: inquiry.bytes.toString('base64url'),
    };
    const body = { session_id: purchase.sessionId, terms_version: CURRENT_TERMS, keep_days: 30, sealed };
    return await world.sendAsAgent(instance, by, '/inquiries', { method: 'POST', body });
  };
  // Requests the token first, so that the two are sent as close together as possible.
  await world.sendAsAgent(instance, by, '/orders');
  const answers = await sendTogether(tries.map(post));
  const opened = answers.findIndex(({ status }) => status === 201);
  if (opened < 0) {
    for (const answer of answers) assertRefused(world, purchase, answer);
    return `two inquiries for purchase ${purchase.number} are refused`;
  }
  assert.notEqual(answers[1 - opened]!.status, 201, `purchase ${purchase.number} was redeemed twice`);
  const { fresh, inquiry } = tries[opened]!;
  const id = String(answers[opened]!.json['id']);
  const facts = { parts: [inquiry], keepDays: 30, id, words: null, agent: by };
  return `of two at once, ${await noteCase(world, purchase, fresh, facts)}`;
}

/** A refusal is correct only if the payment does not allow a case, or something is unavailable. */
function assertRefused(world: World, purchase: Purchase, answer: HttpsResponse): void {
  if (answer.json['code'] === 'form_expired') purchase.form = null;
  // While the provider is unavailable, an earlier check of the payment is not enough for an agent's inquiry.
  const { isProviderAway, isDiskFull } = world.faults;
  // While the disk is full, the end of a dispute is not stored.
  const isUnheard = isProviderAway || (isDiskFull && purchase.dispute !== null);
  const isRight = !isUsable(purchase) || isUnheard || answer.json['code'] === 'form_expired';
  assert.ok(isRight, `purchase ${purchase.number} is paid, but refused: ${answer.status} ${answer.text}`);
}

interface CaseFacts {
  readonly parts: readonly Part[];
  readonly keepDays: number;
  readonly id: string | null;
  readonly words: string | null;
  /** The agent that sent the inquiry, if not the owner of the order. */
  readonly agent?: SimulatedCase['agent'];
}

async function noteCase(world: World, purchase: Purchase, fresh: NewCase, facts: CaseFacts): Promise<string> {
  assert.ok(
    !isUnusable(purchase),
    `purchase ${purchase.number} is ${purchase.truth}${purchase.opened ? ' and used' : ''}, but opened a case`,
  );
  const { agent = purchase.agent, parts, keepDays, words } = facts;
  const one: SimulatedCase = {
    number: world.model.cases.length + 1,
    id: facts.id ?? (await findCaseId(world, fresh.lookupHash)),
    tier: purchase.tier,
    ...fresh,
    agent,
    isFollowed: agent?.hasWebhook ?? false,
    words,
    dueAt: world.now() + DELIVERY_HOURS * HOUR_MS,
    state: 'received',
    shown: null,
    releasedAt: null,
    keepDays,
    purgeAt: null,
    keptUntil: null,
    isPurgeAsked: false,
    findingSeq: 0,
    parts: [...parts],
    noticeAddress: null,
    isGone: false,
    isErased: false,
  };
  purchase.opened = one;
  purchase.form = null;
  world.model.cases.push(one);
  world.touched.add(one);
  world.model.uploads = world.model.uploads.filter(({ part }) => !parts.includes(part));
  return `purchase ${purchase.number} opens case ${one.number}`;
}

/** Reads the id from the records, because the site does not return it. */
async function findCaseId({ instances: [first] }: World, lookupHash: string): Promise<string> {
  const query = first!.store.records.selectFrom('cases').select('id').where('lookup_hash', '=', lookupHash);
  const found = await query.executeTakeFirst();
  assert.ok(found, 'a case that was acknowledged is not stored');
  return found.id;
}
