/** Nothing leaves a page before the desk has proved that it is the one that made it: another program may have its port by now. */

const PROOF_PATH = '/proof';
/** What follows the proof is news, which it covers. */
const PROOF_BYTES = 32;
const EVERY_MS = 5000;
/** A desk that is slow, and a machine that has just woken up, are given time. */
const PATIENCE_MS = 5000;
const ATTEMPTS = 3;
const PAUSE_MS = 1000;
const LOCKABLE = 'form button:not([type=button]), input[type=submit], input[type=password]';

/** The forms that wait for a proof, each with the button that was pressed last. */
const waiting = new Map();
/** What this script has disabled, and enables again. */
const disabled = new Set();
let proving = null;
let isLost = false;
let isSending = false;

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  if (isSending || (!isLost && form.getAttribute('method') === 'get')) return;
  event.preventDefault();
  const isAsked = waiting.has(form);
  waiting.set(form, submitter);
  if (!isAsked) void sendProven(form);
});

document.addEventListener(
  'click',
  (event) => {
    if (isLost && event.target.closest('a[href^="/"]')) event.preventDefault();
  },
  true,
);

for (const name of ['pageshow', 'online', 'focus']) addEventListener(name, checkDesk);
document.addEventListener('visibilitychange', checkDesk);
setInterval(checkDesk, EVERY_MS);

/** As `dialog`, no form is sent by a browser alone; what the method is, is read while it is submitted. */
async function sendProven(form) {
  const isProven = await checkDesk();
  const submitter = waiting.get(form);
  waiting.delete(form);
  if (!isProven) return;
  form.setAttribute('method', 'post');
  isSending = true;
  form.requestSubmit(submitter);
  isSending = false;
  form.setAttribute('method', 'dialog');
}

/** One at a time, for everything that waits. */
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
    return true;
  }
  setLost(true);
  return false;
}

/** The token itself is never sent for it. What will be asked cannot be predicted. */
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
  if (isProven && said) document.dispatchEvent(new CustomEvent('news', { detail: JSON.parse(said) }));
  return isProven;
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
