/** The digest twice a day, and e-mails about deadlines: each is sent once, whatever is off, repeated or concurrent. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { reassignCase, unassignCase } from '#cases/desk/assignment.ts';
import { createAlertMailers, enqueueAlerts } from '#cases/desk/desk-alerts.ts';
import { type AlarmReader, createDigestMailer, enqueueDigest } from '#cases/desk/desk-digest.ts';
import { createPurger, purgeCaseNow, requestPurge } from '#cases/ending/purge.ts';
import { addCaseMessage } from '#cases/messages/messages.ts';
import { withdrawCase } from '#cases/states.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { createMailSender } from '#platform/mail/mail.ts';
import { generateId } from '#platform/text/ids.ts';
import { formatKeyFingerprint, generateCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import { deriveWordKeys, generateWords } from '#seal/core/words.ts';
import type { Case } from '#store/cases/cases.ts';
import { insertContactMessage } from '#store/cases/contact-messages.ts';
import { addToCase } from '#store/cases/objects.ts';
import { insertOrder } from '#store/orders/orders.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import { openStore } from '#store/store.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { waitUntil } from '#test/patience.ts';
import { startServiceProcess } from '#test/service-process.ts';
import {
  type EngineUnderTest,
  listEngines,
  openTestStore,
  silentLog,
  sqliteUnderTest,
  testKeyring,
} from '#test/store/engines.ts';
import { createSampleOrder } from '#test/store/sample-order.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';
import { startSmtpServer } from './smtp-server.ts';

const cleanUp = withReverseCleanup({ after });
const MIDNIGHT = 20_000 * DAY_MS;
const [IVAN, OLIVE] = ['I'.repeat(43), 'O'.repeat(43)];

/** Two instances on one database, which run everything at the same time, and a mail server. */
async function openDesk(t: CleanupScope, engine: EngineUnderTest, start: number) {
  const smtp = await startSmtpServer(t);
  const database = await engine.createDatabase(cleanUp);
  const stores = [await openTestStore(t, database), await openTestStore(t, database)] as const;
  const time = { now: start };
  const clock = { now: () => time.now };
  const alarms: AlarmReader[] = [];
  const sendMail = createMailSender(
    readConfig({ ...database.env, SMTP_URL: smtp.url, MAIL_FROM: 'office@example.org' }),
  );
  const instances = stores.map((store) => {
    const listPeople = async () => [{ holder: IVAN, name: 'ivan' }];
    const options = {
      store,
      clock,
      siteName: 'Office',
      alarms,
      listPeople,
      maintainer: 'desk@example.org',
      sendMail,
    };
    const handlers = { ...createDigestMailer(options), ...createAlertMailers(options) };
    const work = createOutboxWorker({ store, clock, log: silentLog, handlers });
    return async () => {
      await enqueueDigest(options);
      await enqueueAlerts(options);
      await work();
    };
  });
  const runAll = async () => void (await Promise.all(instances.map((run) => run())));
  const seed = (due: number) =>
    seedCase(stores[0], {
      state: 'in_progress',
      due_at: due,
      submitted_at: due - 2 * DAY_MS,
      delivered_at: null,
      purge_at: null,
    });
  return {
    smtp,
    store: stores[0],
    clock,
    alarms,
    seed,
    advanceTo: async (now: number, step = HOUR_MS) => {
      for (; time.now < now; time.now = Math.min(now, time.now + step)) await runAll();
      await runAll();
    },
    jumpTo: async (now: number) => {
      time.now = now;
      await runAll();
    },
    /** The e-mails since the last call. */
    takeEmails: () => smtp.received.splice(0).map(({ text }) => text.replaceAll('=\n', '')),
    takeSubjects: () => smtp.received.splice(0).map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1] ?? ''),
  };
}

async function sealDeskMessage(): Promise<Uint8Array> {
  const key = await generateCaseKey(await deriveWordKeys(generateWords()));
  return await sealEnvelope(key, { kind: 'desk-message.v1', seq: 0 }, { text: 'x', call_windows: [] });
}

for (const engine of await listEngines(cleanUp)) {
  test(`the digest comes at 07:00 and 19:00, once, also when nothing happened, on ${engine.name}`, async (t) => {
    const desk = await openDesk(t, engine, MIDNIGHT + 6 * HOUR_MS);
    await desk.advanceTo(MIDNIGHT + 7 * HOUR_MS - 1);
    assert.deepEqual(desk.takeSubjects(), []);
    await desk.advanceTo(MIDNIGHT + 7 * HOUR_MS);
    const [empty = '', ...others] = desk.takeEmails();
    assert.deepEqual(others, []);
    assert.match(empty, /^To: desk@example\.org$/m);
    assert.match(empty, /Cases: new +0\n(?:.+ 0\n){9} {2}Alarms +0\n/);
    await desk.advanceTo(MIDNIGHT + 19 * HOUR_MS - 1);
    assert.deepEqual(desk.takeSubjects(), []);
    await desk.advanceTo(MIDNIGHT + 2 * DAY_MS);
    assert.deepEqual(desk.takeSubjects(), ['Digest', 'Digest', 'Digest']);
  });

  test(`who ends what another investigator has is in one digest, without the case, on ${engine.name}`, async (t) => {
    const desk = await openDesk(t, engine, MIDNIGHT + 8 * HOUR_MS);
    await desk.jumpTo(MIDNIGHT + 8 * HOUR_MS);
    const purge_at = MIDNIGHT + 9 * DAY_MS;
    const insertEnded = async (changes: Partial<Case>) =>
      (await seedCase(desk.store, { purge_at, ...changes })).record.id;
    const declined = await insertEnded({ state: 'declined', assignee: OLIVE });
    const taken = await insertEnded({
      state: 'in_progress',
      assignee: OLIVE,
      delivered_at: null,
      purge_at: null,
    });
    const own = await insertEnded({ state: 'declined', assignee: IVAN });
    const unassigned = await insertEnded({ state: 'declined' });
    for (const id of [declined, own, unassigned]) await requestPurge(desk, id, IVAN);
    await reassignCase(desk, taken, IVAN);
    // Unassigning the case must not hide its previous assignee.
    await unassignCase(desk, taken, IVAN);
    const sealed = await sealDeskMessage();
    await addCaseMessage(desk, taken, { by: 'desk', seq: 0, sealed, act: 'decline', investigator: IVAN });
    await purgeCaseNow({ ...desk, keyring: testKeyring }, taken, 'desk', null);
    await desk.smtp.leave();
    await desk.advanceTo(MIDNIGHT + DAY_MS + 6 * HOUR_MS, HOUR_MS);
    await desk.smtp.resume();
    await desk.advanceTo(MIDNIGHT + DAY_MS + 8 * HOUR_MS, HOUR_MS);
    const [digest = '', ...others] = desk.takeEmails();
    assert.deepEqual(others, []);
    const key = `key ${formatKeyFingerprint(Buffer.from(OLIVE, 'base64url'))}`;
    assert.deepEqual(
      digest.split('\n').filter((line) => line.startsWith('By ')),
      [
        `By ivan: asked for the purge of a case assigned to ${key}.`,
        `By ivan: declined a case assigned to ${key}.`,
        'By the command line: purged a case assigned to ivan.',
      ],
    );
    for (const id of [declined, taken, own]) assert.ok(!digest.includes(id));
    await desk.advanceTo(MIDNIGHT + DAY_MS + 20 * HOUR_MS);
    assert.doesNotMatch(desk.takeEmails().join(''), /^By /m, 'it is told once');
  });

  test(`a service that was off sends one digest late, and a wrong clock does not keep it away, on ${engine.name}`, async (t) => {
    const desk = await openDesk(t, engine, MIDNIGHT);
    await desk.jumpTo(MIDNIGHT);
    await desk.jumpTo(MIDNIGHT + 5 * DAY_MS + 8 * HOUR_MS);
    assert.deepEqual(desk.takeSubjects(), ['Digest']);
    await desk.jumpTo(MIDNIGHT + 400 * DAY_MS);
    desk.takeSubjects();
    await desk.jumpTo(MIDNIGHT + 5 * DAY_MS + 9 * HOUR_MS);
    await desk.advanceTo(MIDNIGHT + 5 * DAY_MS + 20 * HOUR_MS);
    assert.deepEqual(desk.takeSubjects(), ['Digest', 'Digest']);
  });

  test(`the desk hears of each case once when it is due in 12 hours and once when it is late, on ${engine.name}`, async (t) => {
    const start = MIDNIGHT + 8 * HOUR_MS;
    const desk = await openDesk(t, engine, start);
    const due = start + 10 * DAY_MS;
    const ended = await desk.seed(due);
    await desk.seed(due);
    await desk.advanceTo(due - 12 * HOUR_MS - 1, 6 * HOUR_MS);
    assert.ok(desk.takeSubjects().every((subject) => subject === 'Digest'));
    await desk.advanceTo(due - 12 * HOUR_MS);
    const [alert = '', ...more] = desk.takeEmails();
    assert.deepEqual(more, []);
    assert.match(alert, /^2 cases are due in less than 12 hours at Office\.$/m);
    assert.doesNotMatch(alert, new RegExp(ended.record.id));
    await withdrawCase(desk, ended.record.id);
    await desk.advanceTo(due - 1);
    assert.deepEqual(desk.takeSubjects(), ['Digest']);
    await desk.advanceTo(due);
    assert.match(desk.takeEmails().join(), /^One case is late at Office\.$/m);
    await desk.advanceTo(due + 10 * HOUR_MS);
    assert.deepEqual(desk.takeSubjects(), []);
    await desk.jumpTo(due + 2 * DAY_MS);
    await createPurger({ ...desk, ...createTrustedClock(desk.clock), keyring: testKeyring }, silentLog).run();
    const left = await desk.store.records.selectFrom('case_alerts').select('stage').execute();
    assert.deepEqual(
      left.map(({ stage }) => stage),
      ['late'],
    );
  });
}

test('what ended or became late while the mail server was away is told as it is then', async (t) => {
  const start = MIDNIGHT + 8 * HOUR_MS;
  const desk = await openDesk(t, sqliteUnderTest, start);
  const due = start + DAY_MS;
  const ended = await desk.seed(due);
  await desk.seed(due);
  await desk.smtp.leave();
  await desk.advanceTo(due - 11 * HOUR_MS, 10 * MINUTE_MS);
  await withdrawCase(desk, ended.record.id);
  await desk.advanceTo(due + MINUTE_MS, 10 * MINUTE_MS);
  await desk.smtp.resume();
  await desk.advanceTo(due + 2 * HOUR_MS, 10 * MINUTE_MS);
  // The morning digest has replaced the evening digest.
  assert.deepEqual(desk.takeSubjects().toSorted(), ['Digest', 'Late']);
});

test('the digest counts what waits, in numbers alone, and repeats the alarms', async (t) => {
  const now = MIDNIGHT + 7 * HOUR_MS;
  const desk = await openDesk(t, sqliteUnderTest, now - HOUR_MS);
  await desk.jumpTo(now - HOUR_MS);
  const { records } = desk.store;
  const writing = await desk.seed(now + 20 * HOUR_MS);
  await seedCase(desk.store, { state: 'received', due_at: now + 40 * HOUR_MS, purge_at: null });
  const bytes = Buffer.alloc(64);
  const message = { id: generateId(), kind: 'buyer-message.v1', seq: 0, bytes, now } as const;
  await addToCase(records, message, { record: writing.record, now });
  await insertContactMessage(records, {
    id: generateId(),
    sealed: bytes,
    sealed_by: 'browser',
    received_at: now,
    done_at: null,
    purge_at: now + DAY_MS,
  });
  for (const payment of ['quarantined', 'disputed', 'paid', 'refunded'] as const)
    await insertOrder(records, createSampleOrder({ payment }));
  await insertOrder(records, createSampleOrder({ payment: 'paid', on_hold: 1 }));
  desk.alarms.push(
    async () => 'The clock of this machine is wrong.',
    async () => null,
  );
  await desk.jumpTo(now);
  const [digest = ''] = desk.takeEmails();
  const counts = Object.fromEntries(
    [...digest.matchAll(/^ {2}(\w[^\n]*?) +(\d+)$/gm)].map(([, label = '', count]) => [label, Number(count)]),
  );
  assert.deepEqual(counts, {
    'Cases: new': 1,
    'Cases: waiting for the desk': 1,
    'Cases: awaiting reply': 1,
    'Cases: due within 24 hours': 1,
    'Cases: late': 0,
    'Contact messages': 1,
    'Agents waiting for a decision': 0,
    'Orders to review': 3,
    'Refunds to make': 0,
    'E-mails given up': 0,
    Alarms: 1,
  });
  assert.match(digest, /^The clock of this machine is wrong\.$/m);
  assert.doesNotMatch(digest, new RegExp(writing.record.id));
});

test('the service writes its e-mails to the desk as files when it has no mail server', async (t) => {
  const dataDir = await createDataFolder(t);
  const store = await openStore({
    config: readConfig({ DATA_DIR: dataDir }),
    clock: systemClock,
    log: silentLog,
  });
  await seedCase(store, { state: 'received', due_at: Date.now() - 1, delivered_at: null, purge_at: null });
  await store.close();
  await startServiceProcess(t, {
    DATA_DIR: dataDir,
    MAINTAINER_EMAIL: 'desk@example.org',
    SWEEP_SECONDS: '1',
  });
  const folder = join(dataDir, 'mail');
  const listEmails = () => (existsSync(folder) ? globSync(join(folder, '*.eml')) : []);
  await waitUntil('an e-mail is there', () => listEmails().length > 0);
  const [email = '', ...others] = listEmails();
  assert.deepEqual(others, []);
  assert.match(readFileSync(email, 'utf8'), /^To: desk@example\.org\nSubject: Late$/m);
});
