/** What a search over the opened cases found. */

import { formatDeskTime } from '#desk-program/model/desk-time.ts';
import type { FoundCase } from '#desk-program/model/opened-cases.ts';
import { showLine } from '#desk-program/model/shown-text.ts';
import { type Html, html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';

export interface SearchView {
  readonly wanted: string;
  readonly found: readonly FoundCase[];
  readonly now: number;
}

export function renderSearchPage({ wanted, found, now }: SearchView): Html {
  const rows = found.map(
    ({ opened: { facts }, gist, excerpt }) => html`<li><a class="row" href="/cases/${facts.id}">
<span class="name"><b>${nameCase(facts.id)}</b> <span class="tier">${facts.tier}</span></span>
<span class="due">${facts.state.replaceAll('_', ' ')}</span> <time datetime="${facts.due_at}">${formatDeskTime(Date.parse(facts.due_at), now)}</time>
<span class="who">${gist.buyer}</span>
<span class="gist"><span>${showLine(excerpt === '' ? gist.question : excerpt)}</span></span>
</a></li>`,
  );
  const answer =
    rows.length === 0
      ? html`<div class="empty"><p class="title">Nothing found</p><p>The desk searches only the cases that you have opened since you unlocked it. <a href="/queue">Back to the queue</a>.</p></div>`
      : html`<ol class="rows">${rows}</ol>`;
  return html`<main class="page" id="main"><div class="wrap">
<header class="page-head"><h1>Search</h1><p class="small">“${showLine(wanted)}” in the cases that you have opened: ${found.length} found.</p></header>
${answer}
</div></main>`;
}
