/** The desk's pages of contact messages: what strangers wrote is shown as it is, and goes when it is done. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk/model/desk-work.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { ContactMessage } from '#seal/case/contact-message.ts';
import { assertFormTokens, createPageVisitor, readPage, readRedirect } from './asked-pages.ts';
import { createMadeUpOffice } from './made-up-office.ts';

const FIRST = 'aaaaaaaaaaaaaaaaaaaaaa';
const SECOND = 'bbbbbbbbbbbbbbbbbbbbbb';

function createContactDesk() {
  const office = createMadeUpOffice();
  const desk = new DeskWork({ office, outFolder: null, templatesFolder: null });
  return { office, desk, ask: createPageVisitor(desk) };
}

function createMessage(message: Partial<ContactMessage> = {}): { readonly said: ContactMessage } {
  return { said: { topic: 'question', message: 'Do you look into numbers?', reply_to: '', ...message } };
}

test('a list without messages says so, and a full one shows topics and first words, unread ones as new', async () => {
  const { office, desk, ask } = createContactDesk();
  const empty = readPage(await ask('GET', '/contact'));
  assert.match(empty.html, /No message is waiting for an answer/);
  assert.deepEqual(
    [empty.title, desk.describeFrame().counts.contact],
    ['Desk: contact, 0 waiting', undefined],
  );
  office.addContactMessage(FIRST, createMessage());
  office.addContactMessage(SECOND, createMessage({ topic: 'security' }));
  const { html, title } = readPage(await ask('GET', '/contact'));
  assert.match(html, new RegExp(`href="/contact/${FIRST}" aria-keyshortcuts="n"`));
  assert.equal(html.match(/class="row new"/g)?.length, 2);
  assert.match(
    html,
    /<b>A question<\/b>[\s\S]*Do you look into numbers\?[\s\S]*<b>Report a security problem<\/b>/,
  );
  await ask('GET', `/contact/${FIRST}`);
  assert.equal(readPage(await ask('GET', '/contact')).html.match(/class="row new"/g)?.length, 1);
  assert.deepEqual([title, desk.describeFrame().counts.contact], ['Desk: contact, 2 waiting', 2]);
});

test('an opened message is text: markup is escaped, and what is not seen is shown', async () => {
  const { office, ask } = createContactDesk();
  const message = 'Hello <script>alert(1)</script> \u202eevil\u0007';
  office.addContactMessage(
    FIRST,
    createMessage({ topic: 'privacy_request', message, reply_to: 'a"@b.example\u200b' }),
  );
  const { html, title } = readPage(await ask('GET', `/contact/${FIRST}`));
  assert.match(html, /<h1>My data<\/h1>/);
  assert.match(html, /Hello &lt;script&gt;alert\(1\)&lt;\/script&gt; ⟨U\+202E⟩evil⟨U\+0007⟩/);
  assert.match(html, /a(&quot;|&#34;)@b\.example⟨U\+200B⟩/);
  assert.match(html, /Anyone may have written it, under any name/);
  assert.match(html, /aria-keyshortcuts="e"/);
  assertFormTokens(html, FIRST);
  assert.doesNotMatch(title, /data/);
});

test('done goes on to the message that follows, and says if a colleague was faster', async () => {
  const { office, ask } = createContactDesk();
  office.addContactMessage(FIRST, createMessage());
  office.addContactMessage(SECOND, createMessage());
  const done = await ask('POST', `/contact/${FIRST}/done`);
  assert.equal(readRedirect(done), `/contact/${SECOND}`);
  const again = readPage(await ask('POST', `/contact/${FIRST}/done`));
  assert.match(again.html, /Nothing was changed.*A colleague has already marked/s);
  assert.deepEqual([again.status, again.title.split(' · ')[0]], [409, 'Nothing was changed']);
  assert.equal(readRedirect(await ask('GET', `/contact/${FIRST}`)), '/contact');
  assert.equal(readRedirect(await ask('POST', `/contact/${SECOND}/done`)), '/contact');
  await assert.rejects(ask('GET', '/contact/..%2Fcases'), OfficeFault);
});

test('a message that does not open is not done by one key press', async () => {
  const { office, ask } = createContactDesk();
  office.addContactMessage(FIRST, { unreadable: 'It is not sealed to your key.' });
  const { html } = readPage(await ask('GET', `/contact/${FIRST}`));
  assert.match(html, /It is not sealed to your key/);
  assert.match(html, /Done without reading/);
  assert.doesNotMatch(html, /aria-keyshortcuts="e"/);
});
