/** The numbers page: what is waiting now, and charts of recent weeks, each with an explanation. */
import type { DeskAnswer, DeskRequest } from '#desk/loopback/page-route.ts';
import { formatCount } from '#desk/model/case-queue.ts';
import { type DeskWork, OPEN_QUERY } from '#desk/model/desk-work.ts';
import { toQueuePath } from '#desk/model/queue-choice.ts';
import { readWeekNumbers } from '#desk/model/week-numbers.ts';
import { type Html, html } from '#view/html.ts';
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
  const { counts } = await desk.watch.readQueue(OPEN_QUERY);
  desk.recordCount('queue', counts.open);
  const numbers = await desk.watch.ask(() => desk.office.readNumbers());
  const counted = await desk.watch.ask(() => desk.office.readWeeks());
  const weeks = readWeekNumbers(counted, desk.watch.readClock());
  const main = renderColumnPage({
    title: 'Numbers',
    about:
      'The office counts cases by week and tier, in UTC. The numbers contain no content and do not identify any case.',
    main: html`${CHART_TEXTURES}${renderWaiting(numbers, counts.open)}
<div class="charts">
${renderWeekChart(weeks)}
${renderInTimeChart(weeks)}
${renderHoursChart(weeks)}
${renderOpened(weeks)}
</div>
<p class="small counted">In twelve weeks, ${weeks.declined} declined and ${weeks.withdrawn} withdrawn. Refunds are counted at the provider, where they are made.</p>`,
  });
  return { page: { title: 'Desk: numbers', nav: 'numbers', main } };
}

/** Each count links to the page where the items can be handled. */
function renderWaiting(
  { late, unanswered, contact, refunds, agents, orders }: DeskNumbers,
  open: number,
): Html {
  const tiles = [
    ['In the queue', open, '/queue'],
    ['Late now', late, toQueuePath({ view: 'late', tier: null })],
    ['Awaiting reply, including ended cases', unanswered, '/queue'],
    ['Contact messages', contact, '/contact'],
    ...(agents === null ? [] : [['Agents awaiting a decision', agents, '/agents'] as const]),
    ...(refunds === 0 ? [] : [['Refunds to make', refunds, '/orders'] as const]),
    ...(orders === null ? [] : [['Orders to review', orders, '/orders'] as const]),
  ] as const;
  return html`<dl class="now">${tiles.map(([name, count, path]) => html`<div><dt>${name}</dt><dd><a href="${path}">${formatCount(count)}</a></dd></div>`)}</dl>`;
}
