/** Handlers for the people of the office. A strip on every page asks to confirm changes. */
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import type { WorkRequest } from '#desk/model/desk-work.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { formatInvestigatorKey, type OfficeSession, type PeopleChange } from '#desk/office/office-people.ts';
import { computeKeyFingerprint } from '#seal/core/case-key.ts';
import { type Html, html } from '#view/html.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import { renderColumnPage } from './page-frame.ts';

const ABOUT =
  'Who may open cases is set in the configuration of the office and cannot be changed here. The office listed these people when this desk signed in. Notes are sealed to all of them; refunds to be made are also sealed to the recovery key.';

const COMING_AND_GOING = html`<section class="task" aria-labelledby="people-change">
<p class="label">When people change</p>
<div class="sheet">
<h2 id="people-change">How people join and leave</h2>
<ol class="steps">
<li>A colleague joins: on their own machine they run <span class="code">office keys new --desk NAME --out FOLDER</span>, which makes a key and prints a line; add it to the file named by DESK_RECIPIENTS_FILE.</li>
<li>A colleague leaves: remove their line from that file. After the next step, their cases count as unassigned.</li>
<li>Either way, run <span class="code">office keys reseal --key FILE</span> where the records are stored or, on the machine of an owner who stays, with <span class="code">--office ADDRESS --recipients FILE --recovery FILE</span> added. It seals every case that is not purged yet to the people in the file. Then restart the office.</li>
</ol>
<p class="small">A colleague who has left can no longer open anything, but keeps what they saved or copied before.</p>
</div>
</section>`;

export async function answerPeople({ desk }: WorkRequest): Promise<DeskAnswer> {
  const main = renderPeoplePage(desk.office.session ?? (await desk.office.signIn()));
  return { page: { title: 'Desk: people', nav: 'people', main } };
}

function renderPeoplePage({ holder, people, recovery, peopleChange: change }: OfficeSession): Html {
  const main = html`<section class="task" aria-labelledby="people-check">
<p class="label">Compare</p>
<div class="sheet">
<div><h2 id="people-check">${describeChange(change)}</h2><p class="small">Ask each colleague by phone or in person for the digits of their key: an attacker who controls the office could show a different key.</p></div>
</div>
</section>
<table class="grid">
<caption class="unseen">People of the office</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Role</th><th scope="col">Since you confirmed</th></tr></thead>
<tbody>${people.map((person) => renderPerson(person, person.holder === holder, renderSince(person, change)))}${renderRecovery(recovery, change)}</tbody>
${renderGone(change)}
</table>
${COMING_AND_GOING}`;
  return renderColumnPage('People', ABOUT, main);
}

/** The button to confirm is in the strip above, as on every page. */
function describeChange(change: PeopleChange | null): string {
  if (change?.isFirst) return 'You have not confirmed these people yet';
  if (change === null) return 'No one has joined, left or changed since you confirmed the people';
  const { came, went, changed, recovery } = change;
  return came.length + went.length + changed.length === 0 && recovery !== null
    ? 'The recovery key has changed since you confirmed the people'
    : `${came.length} joined, ${went.length} left, ${changed.length} changed since you confirmed the people`;
}

function renderPerson({ name, role, recipient }: DeskPersonView, isOwn: boolean, since: Html | string): Html {
  return html`<tr><th scope="row">${nameOrNone(name)}${isOwn ? ' (you)' : null}</th><td data-label="Key" class="code">${computeKeyFingerprint(recipient)}</td><td data-label="Role">${role === 'owner' ? 'Owner' : 'Investigator'}</td><td data-label="Since you confirmed">${since}</td></tr>
`;
}

function renderRecovery(recovery: string, change: PeopleChange | null): Html {
  const isOther = change !== null && change.recovery !== null;
  return html`<tr><th scope="row">Recovery key</th><td data-label="Key" class="code">${formatInvestigatorKey(recovery)}</td><td data-label="Role">Kept offline</td><td data-label="Since you confirmed">${isOther ? html`<span class="tag">Changed</span>` : 'The same'}</td></tr>
`;
}

function renderSince({ holder }: DeskPersonView, change: PeopleChange | null): Html | string {
  if (change?.came.some((person) => person.holder === holder)) return html`<span class="tag">Joined</span>`;
  const changed = change?.changed.find((person) => person.holder === holder);
  if (!changed) return 'The same';
  const { name, role } = changed.before;
  return html`<span class="tag">Changed</span> Was ${[nameOrNone(name), role].filter(Boolean).join(', ')}`;
}

function renderGone(change: PeopleChange | null): Html | null {
  if (change === null || change.went.length === 0) return null;
  const rows = change.went.map(
    ({ name, holder }) =>
      html`<tr><th scope="row">${nameOrNone(name)}</th><td data-label="Key" class="code">${formatInvestigatorKey(holder)}</td><td data-label="Role">None now</td><td data-label="Since you confirmed">Left</td></tr>
`,
  );
  return html`<tbody class="gone">${rows}</tbody>`;
}

function nameOrNone(name: string | null): string {
  return name === null ? 'Without a name' : showLine(name);
}
