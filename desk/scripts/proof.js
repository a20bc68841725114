/** Sends nothing before the desk has proved that it made the page: another program may have its port. Saves drafts. */

const PROOF_PATH = '/proof';
/** The proof is followed by news, which it covers. */
const PROOF_BYTES = 32;
const EVERY_MS = 5000;
/** Allows for a slow desk, and for a machine that has just woken up. */
const PATIENCE_MS = 5000;
const ATTEMPTS = 3;
const PAUSE_MS = 1000;
const LOCKABLE = 'form button:not([type=button]), input[type=submit], input[type=password]';

/** If the desk ends, at most the text typed in the last two of these intervals is lost. */
const SAVE_AFTER_MS = 1000;

/** The forms that wait for a proof, each with the button that was pressed last. */
const waiting = new Map();
/** The controls that this script has disabled and will enable again. */
const disabled = new Set();
let proving = null;
let isLost = false;
let isSending = false;
/** According to the last proof; null before the first. */
let isOfficeAway = null;

/** The fields whose text the desk does not have yet. */
const unsaved = new Set();
let saveTimer;
let saves = 0;
let saving = Promise.resolve(true);
let wasHeldBack = false;

document.addEventListener('input', ({ target: field }) => {
  if (!field.matches('[data-draft]')) return;
  unsaved.add(field);
  saySaved(field, 'not saved yet');
  saveTimer ??= setTimeout(() => void saveDrafts(), SAVE_AFTER_MS);
});

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  const mayGo = !isLost && form.getAttribute('method') === 'get' && isAllSaved();
  if (isSending || mayGo) return;
  event.preventDefault();
  const isAsked = waiting.has(form);
  waiting.set(form, submitter);
  if (!isAsked) void sendProven(form);
});

document.addEventListener(
  'click',
  (event) => {
    const link = event.target.closest('a[href^="/"]');
    if (!link || (!isLost && (isAllSaved() || event.ctrlKey || event.metaKey || event.shiftKey))) return;
    event.preventDefault();
    if (!isLost) void leaveBy(link);
  },
  true,
);

for (const name of ['pageshow', 'online', 'focus']) addEventListener(name, checkDesk);
addEventListener('blur', saveDrafts);
document.addEventListener('visibilitychange', checkDesk);
setInterval(checkDesk, EVERY_MS);

/** Without this script no browser sends a `dialog` form. The method is read during submission, then restored. */
async function sendProven(form) {
  const isReady = (await saveBeforeLeaving()) && (await checkDesk());
  const submitter = waiting.get(form);
  waiting.delete(form);
  // A button that was disabled meanwhile would be left out of the form data.
  if (!isReady || submitter?.disabled) return;
  const method = form.getAttribute('method');
  if (method === 'dialog') form.setAttribute('method', 'post');
  isSending = true;
  form.requestSubmit(submitter);
  isSending = false;
  form.setAttribute('method', method);
}

async function leaveBy(link) {
  if (await saveBeforeLeaving()) location.assign(link.href);
}

/** A text that cannot be saved prevents leaving the page once; the reason is shown beside it. */
async function saveBeforeLeaving() {
  if ((await saveDrafts()) || wasHeldBack) return true;
  wasHeldBack = true;
  [...unsaved][0]?.focus();
  return false;
}

function isAllSaved() {
  return unsaved.size === 0 && saves === 0;
}

/** Saves one after another, so that an older text never arrives last. Resolves to whether everything was saved. */
function saveDrafts() {
  clearTimeout(saveTimer);
  saveTimer = undefined;
  if (isAllSaved()) return Promise.resolve(true);
  saves += 1;
  saving = saving
    .then(saveUnsaved)
    .catch(() => false)
    .finally(() => {
      saves -= 1;
    });
  return saving;
}

async function saveUnsaved() {
  const isSaved = (await checkDesk()) && (unsaved.size === 0 || (await postDrafts([...unsaved])));
  if (!isSaved) saveTimer ??= setTimeout(() => void saveDrafts(), SAVE_AFTER_MS);
  return isSaved;
}

/** A locked desk keeps the text and redirects to its own page. */
async function postDrafts(fields) {
  const { form } = fields[0];
  const body = new URLSearchParams({ token: form.elements.token.value, page: form.elements.page.value });
  for (const field of fields) {
    body.set(field.dataset.draft, field.value);
    body.set(`${field.dataset.draft}_base`, field.form.elements.base.value);
    unsaved.delete(field);
  }
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const sent = { method: 'POST', body, cache: 'no-store', signal };
  const answer = await fetch(new URL('drafts', form.action), sent).catch(() => null);
  if (answer?.redirected) {
    // The desk was locked meanwhile, so text typed since then is posted to it as well.
    if (unsaved.size > 0) return await saveUnsaved();
    location.assign(answer.url);
    return true;
  }
  const said = (await answer?.text().catch(() => '')) || 'not saved yet';
  for (const field of fields) {
    if (!answer?.ok) unsaved.add(field);
    if (!answer?.ok || !unsaved.has(field)) saySaved(field, field.value === '' ? '' : said);
  }
  return answer?.ok ?? false;
}

function saySaved({ dataset }, text) {
  document.querySelector(`[data-saved=${dataset.draft}]`)?.replaceChildren(text);
}

/** Concurrent callers share one check. */
function checkDesk() {
  proving ??= tryProofs().finally(() => {
    proving = null;
  });
  return proving;
}

async function tryProofs() {
  const attempts = isLost ? 1 : ATTEMPTS;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const isProven = await askProof().catch(() => false);
    if (!isProven) continue;
    setLost(false);
    showOffice();
    return true;
  }
  setLost(true);
  return false;
}

/** The token itself is never sent, and the challenge cannot be predicted. */
async function askProof() {
  const token = document.querySelector('input[name=token]')?.value;
  if (!token) return true;
  const asked = crypto.randomUUID();
  const answer = await fetch(`${PROOF_PATH}?of=${asked}`, {
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', encoder.encode(token), hmac, false, ['verify']);
  const bytes = await answer.arrayBuffer();
  const said = new TextDecoder().decode(bytes.slice(PROOF_BYTES));
  const isProven = await crypto.subtle.verify(
    hmac,
    key,
    bytes.slice(0, PROOF_BYTES),
    encoder.encode(asked + said),
  );
  if (!isProven || !said) return isProven;
  const news = JSON.parse(said);
  document.dispatchEvent(new CustomEvent('news', { detail: news }));
  isOfficeAway = !news.isReached;
  return isProven;
}

/** Disables controls that need the office while it is away, and shows the reason beside them. */
function showOffice() {
  if (isOfficeAway === null) return;
  for (const note of document.querySelectorAll('[data-away]')) note.hidden = !isOfficeAway;
  for (const button of document.querySelectorAll('[data-office]')) button.disabled = isOfficeAway;
}

function setLost(isNow) {
  isLost = isNow;
  const strip = document.querySelector('.lost');
  strip.hidden = !isNow;
  strip.classList.toggle('sure', isNow);
  if (isNow)
    for (const control of document.querySelectorAll(LOCKABLE)) {
      if (!control.disabled) disabled.add(control);
      control.disabled = true;
    }
  else {
    for (const control of disabled) control.disabled = false;
    disabled.clear();
  }
}
