/** The list of agents in groups by state: on a page with the one that has waited longest, or beside an opened one. */
import { type AgentGroup, groupAgents, isPendingAgent } from '#desk/model/agent-states.ts';
import { formatDeskTime } from '#desk/model/desk-time.ts';
import { showLine } from '#desk/model/shown-text.ts';
import type { AgentList, DeskAgent } from '#desk/office/owner-requests.ts';
import { REGISTRATION_DAYS } from '#platform/expiry.ts';
import { type Html, html } from '#view/html.ts';
import { renderAgo } from '../shown-time.ts';

export interface AgentListView extends AgentList {
  readonly now: number;
}

export function renderAgentListPage(list: AgentListView): Html {
  const oldest = list.agents.find(isPendingAgent);
  return html`<main class="panes" id="main">
${renderAgentList(list, null)}
<div class="pane start">
${oldest ? renderOldest(oldest, list) : NOBODY_WAITS}
</div>
</main>`;
}

const NOBODY_WAITS = html`<section class="first" aria-labelledby="first-name">
<div class="sheet"><h2 class="title" id="first-name">No agent is waiting for a decision</h2><p>Programs that ask to register appear here.</p></div>
</section>`;

function renderOldest(oldest: DeskAgent, { now }: AgentListView): Html {
  return html`<section class="first" aria-labelledby="first-name">
<p class="label">Waiting longest</p>
<div class="sheet">
<div class="first-head">
<div>
<h2 class="title" id="first-name">${nameAgent(oldest)}</h2>
<p class="clock"><b>${describeArrival(oldest, now)}</b></p>
</div>
<div class="acts main-acts"><a class="button" href="/agents/${oldest.registration_id}" aria-keyshortcuts="n">Open it <kbd aria-hidden="true">n</kbd></a></div>
</div>
<p class="small">A registration without a decision is deleted after ${REGISTRATION_DAYS} days.</p>
</div>
</section>`;
}

/** The name was chosen by the person who registered the agent. */
export function nameAgent({ client_name: name }: Pick<DeskAgent, 'client_name'>): string {
  return showLine(name) || 'Unnamed agent';
}

export function describeArrival({ created_at: at }: Pick<DeskAgent, 'created_at'>, now: number): Html {
  return at === null ? html`Received at an unknown time` : html`Received ${renderAgo(Date.parse(at), now)}`;
}

export function renderAgentList(list: AgentListView, current: string | null): Html {
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

function renderGroup({ name, agents }: AgentGroup, now: number, current: string | null): Html {
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
