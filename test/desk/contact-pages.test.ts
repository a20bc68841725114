/** The desk's pages of contact messages: text from strangers is shown unchanged, and removed once it is handled. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { DAY_MS } from '#platform/durations.ts';
import { type ContactMessage, sealContactMessage } from '#seal/case/contact-message.ts';
import { insertContactMessage } from '#store/cases/contact-messages.ts';
import { assertFormTokens, readPage, readRedirect } from './asked-pages.ts';
import { startServedPages } from './connected-desk.ts';
import { generateRecipient } from './sealed-fixture.ts';

const FIRST = 'aaaaaaaaaaaaaaaaaaaaaa';
const SECOND = 'bbbbbbbbbbbbbbbbbbbbbb';

async function openContactDesk(t: TestContext) {
  const { service, desk, ask, show } = await startServedPages(t);
  const { desk: team } = await service.services.sealingKeys;
  const addMessage = async (id: string, changes: Partial<ContactMessage> = {}, recipients = team) => {
    const message = { topic: 'question', message: 'Do you look into numbers?', reply_to: '' } as const;
    const sealed = await sealContactMessage({ ...message, ...changes }, recipients);
    const times = { received_at: Date.now(), purge_at: Date.now() + DAY_MS };
    await service.store.transaction(
      async (records) => await insertContactMessage(records, { id, sealed, sealed_by: 'browser', ...times }),
    );
  };
  return { addMessage, desk, ask, show };
}

test('a list without messages says so, and a full one shows topics and first words, unread ones as new', async (t) => {
  const { addMessage, desk, ask, show } = await openContactDesk(t);
  const empty = readPage(await ask('GET', '/contact'));
  assert.match(empty.html, /No message is waiting for an answer/);
  assert.deepEqual(
    [empty.title, desk.describeFrame().counts.contact],
    ['Desk: contact, 0 waiting', undefined],
  );
  await addMessage(FIRST);
  await addMessage(SECOND, { topic: 'security' });
  const { html, title } = readPage(await ask('GET', '/contact'));
  assert.match(html, new RegExp(`href="/contact/${FIRST}" aria-keyshortcuts="n"`));
  assert.equal(html.match(/class="row new"/g)?.length, 2);
  assert.match(
    html,
    /<b>A question<\/b>[\s\S]*Do you look into numbers\?[\s\S]*<b>Report a security problem<\/b>/,
  );
  await ask('GET', `/contact/${FIRST}`);
  assert.equal((await show('/contact')).match(/class="row new"/g)?.length, 1);
  assert.deepEqual([title, desk.describeFrame().counts.contact], ['Desk: contact, 2 waiting', 2]);
});

test('an opened message is text: markup is escaped, and what is not seen is shown', async (t) => {
  const { addMessage, ask } = await openContactDesk(t);
  const message = 'Hello <script>alert(1)</script> \u202eevil\u0007';
  await addMessage(FIRST, { topic: 'privacy_request', message, reply_to: 'a"@b.example\u200b' });
  const { html, title } = readPage(await ask('GET', `/contact/${FIRST}`));
  assert.match(html, /<h1>My data<\/h1>/);
  assert.match(html, /Hello &lt;script&gt;alert\(1\)&lt;\/script&gt; ⟨U\+202E⟩evil⟨U\+0007⟩/);
  assert.match(html, /a(&quot;|&#34;)@b\.example⟨U\+200B⟩/);
  assert.match(html, /Anyone can write under any name/);
  assert.match(html, /aria-keyshortcuts="e"/);
  assertFormTokens(html, FIRST);
  assert.doesNotMatch(title, /data/);
});

test('done goes on to the message that follows, and says if a colleague was faster', async (t) => {
  const { addMessage, ask } = await openContactDesk(t);
  await addMessage(FIRST);
  await addMessage(SECOND);
  const done = await ask('POST', `/contact/${FIRST}/done`);
  assert.equal(readRedirect(done), `/contact/${SECOND}`);
  const again = readPage(await ask('POST', `/contact/${FIRST}/done`));
  assert.match(again.html, /Nothing was changed.*A colleague has already marked/s);
  assert.deepEqual([again.status, again.title.split(' · ')[0]], [409, 'Nothing was changed']);
  assert.equal(readRedirect(await ask('GET', `/contact/${FIRST}`)), '/contact');
  assert.equal(readRedirect(await ask('POST', `/contact/${SECOND}/done`)), '/contact');
  await assert.rejects(ask('GET', '/contact/..%2Fcases'), OfficeFault);
});

test('a message that does not open is not done by one key press', async (t) => {
  const { addMessage, show } = await openContactDesk(t);
  await addMessage(FIRST, {}, [await generateRecipient()]);
  const html = await show(`/contact/${FIRST}`);
  assert.match(html, /It is not sealed to your key/);
  assert.match(html, /Done without reading/);
  assert.doesNotMatch(html, /aria-keyshortcuts="e"/);
});
