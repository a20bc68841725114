/** Numbers: what waits now, and how the weeks went; each chart has its sentence. */
import type { DeskAnswer, DeskRequest } from '#desk/loopback/page-route.ts';
import { formatCount } from '#desk/model/case-queue.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { isEndedCase } from '#desk/model/due-clock.ts';
import { toQueuePath } from '#desk/model/queue-choice.ts';
import { addUp, readWeekNumbers } from '#desk/model/week-numbers.ts';
import { type Html, html } from '#view/html.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import type { DeskNumbers } from '#wire/desk-lists.ts';
import { renderColumnPage } from './column-page.ts';
import {
  CHART_TEXTURES,
  renderHoursChart,
  renderInTimeChart,
  renderOpened,
  renderWeekChart,
} from './week-charts.ts';

export async function answerNumbers({ desk }: DeskRequest<DeskWork>): Promise<DeskAnswer> {
  const numbers = await desk.watch.ask(() => desk.office.readNumbers());
  const counted = await desk.watch.ask(() => desk.office.readWeeks());
  const weeks = readWeekNumbers(counted, desk.watch.readClock());
  const main = renderColumnPage({
    title: 'Numbers',
    about:
      'Counted by the office by week and tier, in UTC and without content: nothing here leads to a case or says what it is about.',
    main: html`${CHART_TEXTURES}${renderWaiting(numbers)}
<div class="charts">
${renderWeekChart(weeks)}
${renderInTimeChart(weeks)}
${renderHoursChart(weeks)}
${renderOpened(weeks)}
</div>
<p class="small counted">In twelve weeks ${weeks.declined} declined and ${weeks.withdrawn} withdrawn. Refunds are counted where they are made, at the provider.</p>`,
  });
  return { page: { title: 'Desk: numbers', nav: 'numbers', main } };
}

const OPEN_STATES = CASE_STATES.filter((state) => !isEndedCase({ state }));

/** Each leads to where something can be done about it. */
function renderWaiting({ late, unanswered, contact, refunds, agents, orders, cases }: DeskNumbers): Html {
  const open = addUp(OPEN_STATES.map((state) => cases[state] ?? 0));
  const tiles = [
    ['Open cases', open, '/queue'],
    ['Late now', late, toQueuePath({ view: 'late', tier: null })],
    ['Awaiting reply', unanswered, '/queue'],
    ['Contact messages', contact, '/contact'],
    ...(agents === null ? [] : [['Agents to decide about', agents, '/agents'] as const]),
    ...(refunds === 0 ? [] : [['Refunds to make', refunds, '/orders'] as const]),
    ...(orders === null ? [] : [['Orders to review', orders, '/orders'] as const]),
  ] as const;
  return html`<dl class="now">${tiles.map(([name, count, path]) => html`<div><dt>${name}</dt><dd><a href="${path}">${formatCount(count)}</a></dd></div>`)}</dl>`;
}
