/** The page of a locked desk: what it has forgotten, and how to unlock it. */
import type { DeskAssets } from '#desk/loopback/desk-assets.ts';
import { IDLE_MINUTES, type LockReason, type LockState } from '#desk/loopback/desk-lock.ts';
import type { HeldVisit } from '#desk/loopback/entry.ts';
import { type Html, html } from '#view/html.ts';
import { MARK } from '#view/mark.ts';
import { formatClockTime } from '../model/desk-time.ts';
import { LOST_STRIP, renderFormToken, renderHead } from './page-frame.ts';

export interface LockedDeskFacts {
  readonly keyName: string;
  /** Without a passphrase, only the terminal can unlock. */
  readonly hasPassphrase: boolean;
  readonly office: string;
  readonly versions: string;
}

interface UnlockContent {
  readonly assets: DeskAssets;
  readonly visit: HeldVisit;
  readonly state: LockState;
  readonly facts: LockedDeskFacts;
  readonly fault?: string | undefined;
  /** Text was posted after the desk was locked, and has been sealed. */
  readonly isKept?: boolean;
}

const REASONS: Readonly<Record<LockReason, string>> = {
  start: 'Nothing is open yet.',
  idle: `The desk was not used for ${IDLE_MINUTES} minutes. It has forgotten your key and everything it had opened.`,
  button: 'The desk has forgotten your key and everything it had opened.',
  signal: 'The desk received a signal to lock. It has forgotten your key and everything it had opened.',
};

export function renderUnlockPage(content: UnlockContent): Html {
  const { assets, state, facts } = content;
  return html`${renderHead('Desk: locked', assets)}
<body class="locked">
<a class="skip" href="#main">Skip to main content</a>
<header class="top"><span class="mark">${MARK} Desk</span><p class="pulse idle">Locked since ${formatClockTime(state.since)}</p></header>
${LOST_STRIP}
<main class="gate" id="main">
<div class="gate-text">
<h1>The desk is locked</h1>
<p class="lead">${REASONS[state.reason]}</p>
${content.isKept ? html`<p role="status">The text that you had just written is stored, sealed to your key, and will be back in its field once you unlock the desk. Before you send it, read the conversation: if you were sending it, it may have arrived.</p>` : null}
${facts.hasPassphrase && content.visit.mayUnlock ? renderForm(content) : renderTerminalHint(content)}
</div>
${renderHeld(content)}
</main>
</body>
</html>
`;
}

function renderForm({ visit, facts, fault }: UnlockContent): Html {
  return html`<form method="dialog" action="/unlock" autocomplete="off">${renderFormToken(visit)}
<div class="${fault ? 'field wrong' : 'field'}"><label for="pass">Passphrase of ${facts.keyName}</label>
${fault ? html`<p class="error" id="pass-error">${fault}</p>` : null}
<p class="hint" id="pass-hint">What you type stays on this machine.</p>
<input class="input" id="pass" name="passphrase" type="password" autocomplete="off" spellcheck="false" autofocus aria-describedby="${fault ? 'pass-error pass-hint' : 'pass-hint'}" aria-invalid="${fault && 'true'}"></div>
<div class="acts"><button class="button" type="submit">Unlock</button></div>
<p class="small">Prefer not to type it in a browser? Press Enter in the terminal where the desk runs, and type it there.</p>
</form>`;
}

/** Anyone with its file can use a key without a passphrase, so only the terminal may use it again. */
function renderTerminalHint({ facts }: UnlockContent): Html {
  return html`<p>To continue, press Enter in the terminal where the desk runs. It prints a new address.</p>
<p class="small">${facts.hasPassphrase ? FRESH_HINT : PROTECT_HINT}</p>`;
}

/** Another program on the port of a desk that has ended could show a page like this one. */
const FRESH_HINT = html`You type the passphrase there, or in the window that the new address opens. An older window never asks for it: if one does, it is not your desk.`;
const PROTECT_HINT = html`Your key has no passphrase. To unlock the desk in the new window, give the key one: <span class="code">bin/office keys protect FILE</span>`;

function renderHeld({ state, facts }: UnlockContent): Html {
  const renderForgotten = (label: string, length: string) =>
    html`<div><dt>${label}</dt><dd><span class="${`bar ${length}`}"></span><span class="unseen">forgotten</span></dd></div>`;
  const wasOpen = state.reason !== 'start';
  return html`<div class="gate-sheet">
<p class="label">What the desk holds now</p>
<div class="sheet">
<dl class="held">
${wasOpen ? [renderForgotten('Your key', ''), renderForgotten('Opened cases', 'long'), renderForgotten('Search', 'short')] : html`<div><dt>Your key</dt><dd>not opened yet</dd></div>`}
<div><dt>Drafts</dt><dd>sealed to your key</dd></div>
<div><dt>Office</dt><dd>${facts.office}, signed out</dd></div>
</dl>
<p class="small">Files that you saved are where you saved them. ${facts.versions}</p>
</div>
</div>`;
}
