/** A case full of parts that are as expensive as possible: service, desk and command line show the rest of the case. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { readConfig } from '#platform/config/config.ts';
import { MAX_MESSAGES } from '#seal/case/message.ts';
import { deriveWordLookup } from '#seal/core/words.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { runCli, toOwnServiceEnv } from '#test/cli/desk-cli.ts';
import { connectDesk } from '#test/desk/connected-desk.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { isLongRun } from '#test/scale.ts';
import { hostileBodies, sealHostileBody } from './hostile-parts.ts';
import { openPaidForm, postFormFields, postFromScript } from './plain-form.ts';
import { createRestartableService, readMemoryUsage } from './restartable-service.ts';
import { type SealedForm, sealInquiryForm, sendSealedForm } from './sealed-form.ts';
import { readPrivateKey } from './stored-case.ts';

/** As installed, the service uses some 155 MiB before and stays below 300; from source it needs 70 more. */
const MOST_MORE_MIB = 140;
/** More than a page shows, or as many as a case can have. */
const MESSAGES = isLongRun ? MAX_MESSAGES : 30;
/** The maximum size of a message. */
const BODY_BYTES = 63 * 1024;
/** Enough for 7,000 levels. */
const DEEP_BYTES = 14_000;
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

const restartable = await createRestartableService(withReverseCleanup({ after }), {
  // The same limit as `npm start`.
  NODE_OPTIONS: '--max-old-space-size=512',
});
const service = await restartable.start();
const services = { sealingKeys: loadSealingKeys(readConfig({ DATA_DIR: restartable.dataDir })) };
const { words } = await sendHostileCase();
const { now: before } = await readMemoryUsage(service);

/** Some messages are valid and of maximum length, with the characters that grow most when they are shown. */
async function sendHostileCase(): Promise<SealedForm> {
  const form = await openPaidForm(service);
  const sealed = await sealInquiryForm({ services }, form);
  assert.equal((await sendSealedForm(service, form, sealed)).status, 200);
  const { lookupToken } = deriveWordLookup(sealed.words);
  const bodies = Object.values(hostileBodies);
  let cursor: string | undefined;
  for (let seq = 0; seq < MESSAGES; seq += 1) {
    const body =
      seq % 10 === 1
        ? buildLongMessage()
        : bodies[seq % bodies.length]!(seq % 8 === 0 ? BODY_BYTES : DEEP_BYTES);
    const bytes = await sealHostileBody(sealed.key, { kind: 'buyer-message.v1', seq }, body);
    const answer = await postFromScript(service, '/case/sealed/message', {
      lookup_token: lookupToken,
      after: cursor,
      seq,
      call: false,
      sealed: Buffer.from(bytes).toString('base64url'),
    });
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    cursor = String(answer.json['cursor']);
  }
  return sealed;
}

function buildLongMessage(): string {
  const name = `${'\u202e&"'.repeat(80)}.html`;
  const files = Array.from({ length: 10 }, () => ({ name, mime: '', size: 1 }));
  return JSON.stringify({ text: '&\u{1f4a3}\u202e"'.repeat(1_000), files });
}

/** Retries, because a busy machine may need longer than a response may take. */
async function openPage(): Promise<HttpsResponse> {
  const open = () => postFormFields(service, '/case', { words });
  let page = await open();
  await waitUntil('the page comes in time', async () => {
    if (page.status === 503) page = await open();
    return page.status !== 503;
  });
  return page;
}

test('the page without a script shows the inquiry and a line for each, in little memory', async (t) => {
  const pages = [await openPage(), await openPage()];
  for (const { status, text } of pages) {
    assert.equal(status, 200);
    assert.match(text, /CANARY-QUESTION/);
    assert.match(text, /Not in the form that this service writes, so it is not shown \(63 KB\)/);
    assert.ok(text.length < MAX_PAGE_BYTES, `${text.length} bytes`);
  }
  assert.equal((await service.get('/')).status, 200);
  const { peak } = await readMemoryUsage(service);
  t.diagnostic(
    `${Math.round(before)} MiB before, a peak of ${Math.round(peak)} MiB, a page of ${pages[0]?.text.length} characters`,
  );
  assert.ok(peak - before < MOST_MORE_MIB, `${peak} MiB`);
});

test('the desk and the command line open it', async (t) => {
  const identity = await readPrivateKey(service.dataDir, 'desk');
  const desk = await connectDesk(t, service, { identity });
  const { cases } = await desk.readQueue();
  const id = cases[0]?.id ?? '';
  const opened = await desk.readCase(id);
  assert.equal('content' in opened.content.inquiry && opened.isGenuine, true);
  assert.equal(opened.content.messages.length, MESSAGES);
  const bytes = await desk.readPartBytes(id, { kind: 'buyer-message.v1', seq: 0 });
  assert.equal(Buffer.from(bytes).toString(), hostileBodies['lists in each other']!(BODY_BYTES));
  const { code, stdout, stderr } = await runCli(toOwnServiceEnv(service), ['cases', 'open', id]);
  assert.equal(code, 65, 'it names files that are not there');
  assert.match(stderr, /A file from the buyer is missing .* And \d+ more\.\n$/);
  assert.match(stdout, /CANARY-QUESTION/);
  assert.ok(stdout.length + stderr.length < MAX_PAGE_BYTES);
  const declined = await desk.sendMessage(id, { act: 'decline', text: 'No.', seen: opened.seen });
  assert.equal(declined.state, 'declined');
  const { peak } = await readMemoryUsage(service);
  t.diagnostic(`peak of ${Math.round(peak)} MiB`);
  assert.ok(peak - before < MOST_MORE_MIB, `${peak} MiB`);
});
