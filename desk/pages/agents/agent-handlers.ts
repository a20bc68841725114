/** Handlers for agents: the list, one agent, and an owner's decisions. */
import type { BrowserVisit, DeskAnswer } from '#desk/loopback/page-route.ts';
import {
  type AgentDecision,
  describeAgentState,
  groupAgents,
  isPendingAgent,
} from '#desk/model/agent-states.ts';
import { formatDeskTime, formatTimeInBoth } from '#desk/model/desk-time.ts';
import type { DeskWork, WorkRequest } from '#desk/model/desk-work.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { readText } from '#desk/model/unsent-form.ts';
import { findFault, OfficeFault } from '#desk/office/office-fault.ts';
import type { AgentList, DeskAgent } from '#desk/office/waiting-lists.ts';
import { REGISTRATION_DAYS } from '#platform/expiry.ts';
import { type GrantType, grantTypes } from '#platform/grant-types.ts';
import { SCOPES, scopeDescriptions } from '#platform/scopes.ts';
import { type Html, html } from '#view/html.ts';
import type { DeskAgentDecision } from '#wire/desk-lists.ts';
import { renderColumnPage, renderFormToken, renderNothingFirst, renderOldest } from '../page-frame.ts';
import { renderAgo } from '../shown-time.ts';

const grantSentences: Readonly<Record<GrantType, string>> = {
  authorization_code: 'For people who consent on the site; needs a redirect address.',
  client_credentials: 'For itself.',
  refresh_token: 'For the same people again, without asking them each time.',
};

/** `lost` is what a decision destroys, which must be confirmed. Approving and suspending can be undone. */
const decisionWords = {
  reject: {
    title: 'Reject',
    button: 'Reject it',
    lost: 'Its registration ends for good. The program would have to register again.',
  },
  suspend: { title: 'Suspend', button: 'Suspend it', lost: null },
  rotate: {
    title: 'New secret',
    button: 'Void the secret and send a link',
    lost: 'Its secret and all its tokens stop working now. It can work again once the contact has fetched its new secret with a link. Its webhook is kept.',
  },
} as const satisfies Record<Exclude<AgentDecision, 'approve'>, unknown>;

const FRAME = { title: 'Desk: agents', nav: 'agents' } as const;

export async function answerAgents({ desk }: WorkRequest): Promise<DeskAnswer> {
  if (!(await desk.isOwner())) return answerOthers();
  return { page: { ...FRAME, main: renderAgentListPage(await readAgentList(desk)) } };
}

function answerOthers(): DeskAnswer {
  const main = html`<div class="empty"><p class="title">This page is for owners</p><p>Your key has the role of investigator. At the office, roles are set in the file named by DESK_RECIPIENTS_FILE.</p></div>`;
  const about = 'Programs that ask to use the office’s API.';
  return { page: { ...FRAME, main: renderColumnPage('Agents', about, main) } };
}

/** With a `refusal`, shows the agent after a decision that was refused. */
export async function answerAgent(request: WorkRequest, refusal?: string): Promise<DeskAnswer> {
  const { desk, visit, params } = request;
  if (!(await desk.isOwner())) return answerOthers();
  const list = await readAgentList(desk);
  const agent = list.agents.find(({ registration_id: id }) => id === params['id']);
  if (!agent) throw new OfficeFault('refused', 'There is no such agent, or it was deleted.');
  const main = renderAgentPage(agent, list, visit);
  const refused = refusal === undefined ? undefined : { fact: 'Nothing was changed', why: refusal };
  return { page: { ...FRAME, kind: 'in-case', main, refusal: refused } };
}

async function readAgentList(desk: DeskWork): Promise<AgentListView> {
  const list = await desk.watch.ask(() => desk.office.lists.listAgents());
  desk.recordCount('agents', list.agents.filter(isPendingAgent).length);
  return { ...list, now: desk.watch.readClock() };
}

/** The office decides what is possible; a refusal is shown on the page of the agent. */
export async function answerAgentDecision(request: WorkRequest): Promise<DeskAnswer> {
  const { desk, form, params } = request;
  const id = params['id'] ?? '';
  const decision = readDecision(form);
  if (decision === null) return { redirect: `/agents/${encodeURIComponent(id)}` };
  if ('refusal' in decision) return await answerAgent(request, decision.refusal);
  const fault = await findFault(async () => {
    const agent = await desk.office.lists.decideAgent(id, decision);
    desk.say({ strong: nameAgent(agent), text: describeAgentState(agent).done });
  });
  if (fault?.code === 'refused') return await answerAgent(request, fault.message);
  if (fault) throw fault;
  return { redirect: decision.decision === 'reject' ? '/agents' : `/agents/${id}` };
}

/** Null if the form has no known decision. */
function readDecision(form: FormData): DeskAgentDecision | { readonly refusal: string } | null {
  const names = ['approve', 'reject', 'suspend', 'rotate'] as const;
  const decision: AgentDecision | undefined = names.find((name) => name === readText(form, 'decision'));
  if (decision === undefined) return null;
  if (decision !== 'approve')
    return decisionWords[decision].lost !== null && readText(form, 'sure') !== 'yes'
      ? { refusal: 'To go ahead, tick “I am sure.”' }
      : { decision };
  const scopes = SCOPES.filter((name) => form.getAll('scope').includes(name));
  const grants = grantTypes.filter((name) => form.getAll('grant').includes(name));
  if (scopes.length > 0 && grants.length > 0) return { decision, scopes, grants };
  return { refusal: 'Tick at least one box under “What it may do” and one under “For whom it acts”.' };
}

function renderAgentPage(agent: DeskAgent, list: AgentListView, visit: BrowserVisit): Html {
  const { means, decisions } = describeAgentState(agent);
  return html`<div class="panes">
${renderAgentList(list, agent.registration_id)}
<main class="pane case" id="main">
<div class="tabs"><p class="label">${agent.client_id === null ? 'Registration' : 'Client'}</p><p class="small">${means}</p></div>
<article class="sheet">
<header class="case-head">
<div class="case-name">
<p class="back"><a href="/agents" aria-keyshortcuts="Escape">Agents</a></p>
<h1>${nameAgent(agent)}</h1>
<p class="clock"><b>${describeArrival(agent, list.now)}</b></p>
</div>
</header>
<div class="case-body from-side">
<aside class="case-side" aria-label="About this agent">
${renderContact(agent)}
${renderRedirects(agent)}
${renderFacts(agent, list.now)}
</aside>
<div class="case-main">
${decisions.includes('approve') ? renderApproval(agent, visit) : null}
${decisions.filter((decision) => decision !== 'approve').map((decision) => renderDecision(decision, agent, visit))}
<p class="note">An unknown person registered this agent and chose its name. Check the contact and the redirect addresses, ask if in doubt, and allow only what is needed. The desk never sees the secret.</p>
</div>
</div>
</article>
</main>
</div>`;
}

/** Nothing is ticked for a new agent: the owner chooses what it may do, regardless of what it requests. */
function renderApproval(agent: DeskAgent, visit: BrowserVisit): Html {
  const isNew = agent.state === 'pending';
  const wishes = isNew ? [...agent.scopes, ...agent.grants].join(', ') : '';
  const label = agent.client_id === null ? 'Approve as ticked' : 'Allow as ticked';
  return html`<form method="dialog" action="/agents/${agent.registration_id}">${renderFormToken(visit)}
${wishes === '' ? null : html`<p>It asks for <span class="code">${wishes}</span>.</p>`}
${renderChoices('What it may do', 'scope', scopeDescriptions, isNew ? [] : agent.scopes)}
${renderChoices('For whom it acts', 'grant', grantSentences, isNew ? [] : agent.grants)}
<div class="acts"><button class="button" name="decision" value="approve" aria-keyshortcuts="Control+Enter" type="submit">${label}</button></div>
</form>`;
}

function renderChoices(
  legend: string,
  name: string,
  choices: Readonly<Record<string, string>>,
  given: readonly string[],
): Html {
  const picks = Object.entries(choices).map(
    ([choice, words]) =>
      html`<label class="pick"><input type="checkbox" name="${name}" value="${choice}" ?checked="${given.includes(choice)}"><span class="code">${choice}</span><span class="hint">${words}</span></label>`,
  );
  return html`<fieldset class="field"><legend>${legend}</legend><div class="picks">${picks}</div></fieldset>`;
}

function renderDecision(decision: keyof typeof decisionWords, agent: DeskAgent, visit: BrowserVisit): Html {
  const { title, button, lost } = decisionWords[decision];
  const sure = lost
    ? html`<label class="pick"><input type="checkbox" name="sure" value="yes" required><span>I am sure.</span><span class="hint">${lost}</span></label>`
    : html`<p class="hint">Its requests are refused until you approve it again.</p>`;
  return html`<details class="slip"><summary>${title}</summary><form method="dialog" action="/agents/${agent.registration_id}">${renderFormToken(visit)}${sure}<div class="acts"><button class="button quiet" name="decision" value="${decision}" aria-keyshortcuts="Control+Enter" type="submit">${button}</button></div></form></details>`;
}

/** Shown as text, so that a link written by a stranger cannot be clicked. */
function renderContact({ contact }: DeskAgent): Html {
  return html`<section class="slip" aria-labelledby="agent-contact"><h2 id="agent-contact">Contact</h2><p class="code">${showLine(contact)}</p></section>`;
}

function renderRedirects({ redirect_uris: addresses }: DeskAgent): Html {
  const items = addresses.map((address) => html`<li>${showLine(address)}</li>`);
  return html`<section class="slip" aria-labelledby="agent-redirects"><h2 id="agent-redirects">Redirect addresses</h2>${items.length === 0 ? html`<p>None: it can act only for itself.</p>` : html`<ul class="code">${items}</ul>`}</section>`;
}

function renderFacts(agent: DeskAgent, now: number): Html {
  const {
    identity_type: knownBy,
    credential_types: credentials,
    client_id: client,
    link_until: until,
  } = agent;
  const facts = [
    ['Identity', showLine(knownBy)],
    ['Credentials', showLine(credentials.join(', '))],
    ...(agent.created_at === null ? [] : [['Received', formatTimeInBoth(Date.parse(agent.created_at), now)]]),
    ...(until === null ? [] : [['Link valid until', formatTimeInBoth(Date.parse(until), now)]]),
    ...(client === null ? [] : [['Client', client]]),
  ];
  return html`<section class="slip" aria-labelledby="agent-facts"><h2 id="agent-facts">Facts</h2><dl class="pairs">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

interface AgentListView extends AgentList {
  readonly now: number;
}

function renderAgentListPage(list: AgentListView): Html {
  const oldest = list.agents.find(isPendingAgent);
  const about = `A registration without a decision is deleted after ${REGISTRATION_DAYS} days.`;
  const first = oldest
    ? renderOldest(
        nameAgent(oldest),
        describeArrival(oldest, list.now),
        `/agents/${oldest.registration_id}`,
        about,
      )
    : renderNothingFirst('No agent is waiting for a decision', 'Programs that ask to register appear here.');
  return html`<main class="panes" id="main">
${renderAgentList(list, null)}
<div class="pane start">
${first}
</div>
</main>`;
}

/** The name was chosen by the person who registered the agent. */
function nameAgent({ client_name: name }: Pick<DeskAgent, 'client_name'>): string {
  return showLine(name) || 'Unnamed agent';
}

function describeArrival({ created_at: at }: Pick<DeskAgent, 'created_at'>, now: number): Html {
  return at === null ? html`Received at an unknown time` : html`Received ${renderAgo(Date.parse(at), now)}`;
}

function renderAgentList(list: AgentListView, current: string | null): Html {
  const title = current === null ? html`<h1>Agents</h1>` : html`<h2>Agents</h2>`;
  const foot = list.hasMore
    ? 'Only some are shown. “office agents list” on the server lists all of them.'
    : `That is all. A rejected registration is deleted ${REGISTRATION_DAYS} days after it was received, or earlier if there are too many.`;
  return html`<section class="list" aria-label="Agents">
<div class="list-head"><div class="list-top">${title}</div></div>
${groupAgents(list.agents).map((group) => renderGroup(group, list.now, current))}
${list.agents.length === 0 ? html`<div class="empty list-foot"><p>No agent has registered.</p></div>` : html`<p class="list-foot">${foot}</p>`}
</section>`;
}

function renderGroup(
  { name, agents }: ReturnType<typeof groupAgents>[number],
  now: number,
  current: string | null,
): Html {
  const inner = html`${name} <span class="count">${agents.length}</span>`;
  return html`${current === null ? html`<h2 class="group">${inner}</h2>` : html`<h3 class="group">${inner}</h3>`}
<ol class="rows ago">${agents.map((agent) => renderRow(agent, now, current))}</ol>
`;
}

function renderRow(agent: DeskAgent, now: number, current: string | null): Html {
  const { registration_id: id, created_at: at } = agent;
  const isCurrent = id === current ? 'true' : null;
  return html`<li><a class="row${isPendingAgent(agent) ? ' new' : ''}" href="/agents/${id}" aria-current="${isCurrent}">
<span class="name"><b>${nameAgent(agent)}</b></span>
${at === null ? null : html`<span class="due">${renderAgo(Date.parse(at), now)}</span> <time datetime="${at}">${formatDeskTime(Date.parse(at), now)}</time>`}
<span class="gist"><span>${showLine(agent.contact)}</span></span>
</a></li>`;
}
