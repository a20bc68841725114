/** How much waits at the office: what to look at first, then each question as a sentence above its bars. */
import type { DeskAnswer, DeskRequest } from '#desk/loopback/page-route.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { caseStateNames, isEndedCase } from '#desk/model/due-clock.ts';
import { toQueuePath } from '#desk/model/queue-choice.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { type Html, html } from '#view/html.ts';
import { CASE_STATES, type CaseState } from '#wire/case-states.ts';
import type { DeskNumbers } from '#wire/desk-lists.ts';
import { renderColumnPage } from './column-page.ts';
import { renderStrips } from './desk-strips.ts';

interface CountedBar {
  readonly name: string;
  readonly count: number;
  readonly tone?: 'late' | 'soon';
}

interface BarChart {
  readonly title: string;
  readonly about: string;
  /** Heads the names, and the figures. */
  readonly label: string;
  readonly unit: string;
  readonly bars: readonly CountedBar[];
}

export async function answerNumbers({ desk, visit }: DeskRequest<DeskWork>): Promise<DeskAnswer> {
  const numbers = await desk.watch.ask(
    async () => await desk.office.readNumbers(),
    () => undefined,
  );
  const main = renderColumnPage({
    title: 'Numbers',
    about: 'Counted by the office just now. Nothing here says what the cases are about.',
    main: html`${renderWaiting(numbers)}
<div class="charts">
${renderClockChart(numbers)}
${renderOpenChart(numbers)}
${renderEndedChart(numbers)}
</div>`,
  });
  return { page: { title: 'Desk: numbers', nav: 'numbers', main, strip: renderStrips(desk, visit) } };
}

const OPEN_STATES = CASE_STATES.filter((state) => !isEndedCase({ state }));
const ENDED_STATES = CASE_STATES.filter((state) => isEndedCase({ state }));

/** Each leads to where something can be done about it. */
function renderWaiting({ late, unanswered, contact, agents, orders, cases }: DeskNumbers): Html {
  const open = addCounts(listStates(cases, OPEN_STATES));
  const tiles = [
    ['Open cases', open, '/queue'],
    ['Late now', late, toQueuePath({ view: 'late', tier: null })],
    ['Awaiting reply', unanswered, '/queue'],
    ['Contact messages', contact, '/contact'],
    ...(agents === null ? [] : [['Agents to decide about', agents, '/agents'] as const]),
    ...(orders === null ? [] : [['Orders to review', orders, '/orders'] as const]),
  ] as const;
  return html`<dl class="now">${tiles.map(([name, count, path]) => html`<div><dt>${name}</dt><dd><a href="${path}">${count}</a></dd></div>`)}</dl>`;
}

function renderClockChart({ late, due_within_a_day: due, cases }: DeskNumbers): Html {
  // Counted one after the other, so a case may have come or gone in between.
  const later = Math.max(0, addCounts(listStates(cases, OPEN_STATES)) - late - due);
  const isLate = late === 0 ? 'Nothing is late' : `${countCases(late)} ${late === 1 ? 'is' : 'are'} late`;
  const isDue = due === 0 ? 'nothing else is due within a day' : `${due} due within a day`;
  return renderBarChart({
    title: `${isLate}, ${isDue}`,
    about: 'Open cases by when they are due.',
    label: 'Due',
    unit: 'Cases',
    bars: [
      { name: 'Late', count: late, tone: 'late' },
      { name: 'Within a day', count: due, tone: 'soon' },
      { name: 'Later', count: later },
    ],
  });
}

function renderOpenChart({ cases, unanswered }: DeskNumbers): Html {
  const title =
    unanswered === 0 ? 'No buyer waits for an answer' : `In ${countCases(unanswered)} the buyer wrote last`;
  const bars = [...listStates(cases, OPEN_STATES), ...listUnknownStates(cases)];
  return renderBarChart({ title, about: 'Open cases by their state.', label: 'State', unit: 'Cases', bars });
}

function renderEndedChart({ cases }: DeskNumbers): Html {
  const bars = listStates(cases, ENDED_STATES);
  const count = addCounts(bars);
  const title =
    count === 0
      ? 'No ended case is kept'
      : `${count} ended ${count === 1 ? 'case is' : 'cases are'} kept until the purge`;
  return renderBarChart({
    title,
    about: 'Ended cases by how they ended.',
    label: 'End',
    unit: 'Cases',
    bars,
  });
}

function listStates(cases: DeskNumbers['cases'], states: readonly CaseState[]): CountedBar[] {
  return states.map((state) => ({ name: caseStateNames[state], count: cases[state] ?? 0 }));
}

/** Of an office of another version. */
function listUnknownStates(cases: DeskNumbers['cases']): CountedBar[] {
  return Object.entries(cases)
    .filter(([state]) => !Object.hasOwn(caseStateNames, state))
    .map(([state, count]) => ({ name: showLine(state.replaceAll('_', ' ')), count }));
}

function addCounts(bars: readonly CountedBar[]): number {
  return bars.reduce((sum, { count }) => sum + count, 0);
}

function countCases(count: number): string {
  return `${count} case${count === 1 ? '' : 's'}`;
}

function renderBarChart({ title, about, label, unit, bars }: BarChart): Html {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return html`<section class="chart">
<h2>${title}</h2>
<p class="small">${about}</p>
<table>
<thead class="unseen"><tr><th scope="col">${label}</th><th scope="col">${unit}</th></tr></thead>
<tbody>${bars.map((bar) => renderBar(bar, most))}</tbody>
</table>
</section>`;
}

/** The longest fills its place; what is not zero can be seen. */
function renderBar({ name, count, tone }: CountedBar, most: number): Html {
  const width = count === 0 ? 0 : Math.max(1, Math.round((100 * count) / most));
  return html`<tr><th scope="row">${name}</th><td><span class="figure">${count}</span><svg class="${tone ?? null}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect width="${width}" height="10"/></svg></td></tr>
`;
}
