/** The numbers page: what is waiting now, and charts of recent weeks as SVG, each with the same numbers as a table. */
import type { DeskAnswer } from '#desk/loopback/page-route.ts';
import { formatCount, toQueuePath } from '#desk/model/case-queue.ts';
import { OPEN_QUERY, type WorkRequest } from '#desk/model/desk-work.ts';
import {
  addUp,
  findHoursOfShare,
  formatShare,
  type OfficeNumbers,
  readWeekNumbers,
} from '#desk/model/week-numbers.ts';
import { type Html, html } from '#view/html.ts';
import type { DeskNumbers } from '#wire/desk-lists.ts';
import { renderColumnPage } from './page-frame.ts';

/** Sizes of the drawing in its own units, which scale with the window. */
const WIDTH = 360;
const LEFT = 44;
const TOP = 24;
const BOTTOM = 160;
const AXIS = 178;
const GAP = 4;
/** Every third week is labelled. */
const NAMED_WEEKS = 3;
const TEXTURES = ['', 'url(#hatch)', 'url(#dots)'];

const CHART_TEXTURES = html`<svg class="textures" width="0" height="0" aria-hidden="true" focusable="false"><defs>
<pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="fill-2" width="5" height="5"/><path class="line" d="M0 2.5H5"/></pattern>
<pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse"><rect class="fill-3" width="5" height="5"/><circle class="point" cx="2.5" cy="2.5" r="1.1"/></pattern>
<pattern id="late" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect class="fill-late" width="5" height="5"/><path class="line" d="M0 2.5H5"/></pattern>
</defs></svg>`;

interface Chart {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** What the drawing shows, for readers who cannot see it. */
  readonly label: string;
  readonly drawing: Html | null;
  readonly legend?: Html;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

function renderChart({ id, title, about, label, drawing, legend, heads, rows }: Chart): Html {
  const svg =
    drawing &&
    html`<svg viewBox="0 0 ${WIDTH} 190" role="img" aria-label="${label}; the same numbers are in the table below">${drawing}</svg>`;
  return html`<figure class="chart" aria-labelledby="${id}">
<figcaption><h2 id="${id}">${title}</h2><p class="small">${about}</p></figcaption>
${svg}${legend ?? null}
<details><summary>As a table</summary>${renderTable(heads, rows)}</details>
</figure>`;
}

function renderTable(heads: Chart['heads'], rows: Chart['rows']): Html {
  const body = rows.map(
    ([name, ...cells]) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  );
  return html`<table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${body}</tbody></table>`;
}

function renderWeekChart({ tiers, weeks }: OfficeNumbers): Html {
  const last = weeks.at(-2)!;
  const most = Math.max(1, ...weeks.map(({ total }) => total));
  const step = (WIDTH - LEFT) / weeks.length;
  const bars = weeks.map(({ sent, isPresent }, index) => {
    let below = 0;
    return sent.map((count, tier) => {
      const [top, bottom] = [place(below + count, most), place(below, most)];
      below += count;
      return count === 0
        ? null
        : html`<rect class="bar-1${isPresent ? ' present' : ''}" fill="${TEXTURES[tier % TEXTURES.length] || null}" x="${round(LEFT + index * step + GAP / 2)}" y="${round(top)}" width="${round(step - GAP)}" height="${round(Math.max(bottom - top - 1, 0.5))}"/>`;
    });
  });
  const names = tiers.map(
    (tier, index) =>
      html`<li><svg viewBox="0 0 9 9" aria-hidden="true" focusable="false"><rect class="bar-1" fill="${TEXTURES[index % TEXTURES.length] || null}" width="9" height="9"/></svg> ${tier}</li>`,
  );
  return renderChart({
    id: 'by-week',
    title: `${last.total} case${last.total === 1 ? '' : 's'} last week`,
    about: 'By week and tier; the pale bar is this week.',
    label: 'Cases by week and tier, twelve weeks',
    drawing: tiers.length === 0 ? null : html`${renderRules(most)}${bars}${renderWeekNames(weeks, step)}`,
    heads: ['Week of', ...tiers, 'All'],
    rows: weeks.map(({ label, sent, total }) => [label, ...sent, total]),
    ...(tiers.length === 0 ? {} : { legend: html`<ul class="legend">${names}</ul>` }),
  });
}

function renderInTimeChart({ weeks }: OfficeNumbers): Html {
  const past = weeks.slice(0, -1);
  const last = past.at(-1)!;
  const step = (WIDTH - LEFT) / weeks.length;
  const shares = past.flatMap(({ delivered, late }, index) =>
    delivered === 0
      ? []
      : [{ x: LEFT + (index + 0.5) * step, share: (100 * (delivered - late)) / delivered, late }],
  );
  const least = Math.floor(Math.min(90, ...shares.map(({ share }) => share)) / 10) * 10;
  const toY = (share: number) => round(BOTTOM - ((share - least) / (100 - least)) * (BOTTOM - TOP));
  const points = shares.map(({ x, share }) => `${round(x)} ${toY(share)}`);
  const rules = [least, 100].map(
    (share) =>
      html`<path class="rule" d="M${LEFT} ${toY(share)}H${WIDTH}"/><text class="axis" x="${LEFT - 4}" y="${toY(share) + 4}" text-anchor="end">${share}%</text>`,
  );
  const dots = shares.map(
    ({ x, share, late }) =>
      html`<circle class="dot${late === 0 ? ' full' : ''}" cx="${round(x)}" cy="${toY(share)}" r="4"/>`,
  );
  const [title, about] =
    last.delivered === 0
      ? ['Nothing was delivered last week', 'By week of delivery.']
      : [
          `${formatShare(last.delivered - last.late, last.delivered)} on time last week`,
          `${last.late} of ${last.delivered} ${last.late === 1 ? 'was' : 'were'} late. By week of delivery; the scale begins at ${least}%.`,
        ];
  return renderChart({
    id: 'in-time',
    title,
    about,
    label: 'Share of cases delivered on time by week, eleven weeks',
    drawing:
      shares.length === 0
        ? null
        : html`${rules}<path class="trend" d="M${points.join('L')}"/>${dots}${renderWeekNames(past, step)}`,
    heads: ['Week of', 'Delivered', 'Late', 'On time'],
    rows: past.map(({ label, delivered, late }) => [
      label,
      delivered,
      late,
      delivered === 0 ? '–' : formatShare(delivered - late, delivered),
    ]),
  });
}

function renderHoursChart({ hours }: OfficeNumbers): Html {
  const all = addUp(hours.map(({ count }) => count));
  const most = Math.max(1, ...hours.map(({ count }) => count));
  const step = (WIDTH - LEFT) / hours.length;
  const bars = hours.map(({ label, count }, index) => {
    const [x, y] = [LEFT + index * step, place(count, most)];
    const isLate = label === 'late';
    return html`<rect class="bar-1" fill="${isLate ? 'url(#late)' : null}" x="${round(x + GAP / 2)}" y="${round(y)}" width="${round(step - GAP)}" height="${round(BOTTOM - y)}"/>
${count === 0 ? null : html`<text class="axis" x="${round(x + step / 2)}" y="${round(y - 5)}" text-anchor="middle">${count}</text>`}<text class="axis${isLate ? ' late' : ''}" x="${round(isLate ? x + step / 2 : x)}" y="${AXIS}" text-anchor="middle">${isLate ? label : label.split('–')[0]}</text>`;
  });
  const half = findHoursOfShare(hours, 0.5);
  const most9 = findHoursOfShare(hours, 0.9);
  return renderChart({
    id: 'by-hours',
    title: all === 0 ? 'Nothing was delivered in twelve weeks' : describeHalf(half),
    about:
      all === 0
        ? 'By hours from sending to delivery.'
        : `${all} ${all === 1 ? 'delivery' : 'deliveries'} in twelve weeks, by hours since the inquiry was sent; ${most9 === null ? 'more than one in ten were late' : `nine in ten within ${most9} hours`}.`,
    label: 'Cases by hours from sending to delivery, over twelve weeks',
    drawing: all === 0 ? null : html`${renderRules(most)}${bars}`,
    heads: ['Hours', 'Cases'],
    rows: hours.map(({ label, count }) => [label, count]),
  });
}

function describeHalf(hours: number | null): string {
  return hours === null ? 'More than half are late' : `Half are delivered within ${hours} hours`;
}

/** Most buyers who never return have lost their words. */
function renderOpened({ months }: OfficeNumbers): Html {
  const delivered = addUp(months.map((each) => each.delivered));
  const opened = addUp(months.map((each) => each.opened));
  const title =
    delivered === 0
      ? 'There is no finding to open yet'
      : `${formatShare(opened, delivered)} of the findings were opened`;
  const rows = [
    ['Delivered', ...months.map((month) => month.delivered)],
    ['Opened', ...months.map((month) => month.opened)],
    [
      'Share',
      ...months.map((month) => (month.delivered === 0 ? '–' : formatShare(month.opened, month.delivered))),
    ],
  ];
  return html`<section class="chart wide" aria-labelledby="opened">
<h2 id="opened">${title}</h2>
<p class="small">Buyers opened ${opened} of ${delivered} findings in six months, by month of delivery. No case is named.</p>
${renderTable(['Month', ...months.map(({ label }) => label)], rows)}
</section>`;
}

/** The base line, and a line at the highest value. */
function renderRules(most: number): Html {
  return html`<path class="rule" d="M${LEFT} ${TOP}H${WIDTH}"/><text class="axis" x="${LEFT - 4}" y="${TOP + 4}" text-anchor="end">${most}</text><path class="base" d="M${LEFT} ${BOTTOM}H${WIDTH}"/>`;
}

function renderWeekNames(weeks: OfficeNumbers['weeks'], step: number): (Html | null)[] {
  return weeks.map(({ label }, index) =>
    index % NAMED_WEEKS === 0
      ? html`<text class="axis" x="${round(LEFT + index * step)}" y="${AXIS}">${label}</text>`
      : null,
  );
}

function place(count: number, most: number): number {
  return BOTTOM - (count / most) * (BOTTOM - TOP);
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

export async function answerNumbers({ desk }: WorkRequest): Promise<DeskAnswer> {
  const { counts } = await desk.watch.readQueue(OPEN_QUERY);
  desk.recordCount('queue', counts.open);
  const numbers = await desk.watch.ask(() => desk.office.readNumbers());
  const counted = await desk.watch.ask(() => desk.office.readWeeks());
  const weeks = readWeekNumbers(counted, desk.watch.readClock());
  const about =
    'The office counts cases by week and tier, in UTC. The numbers contain no content and do not identify any case.';
  const main = html`${CHART_TEXTURES}${renderWaiting(numbers, counts.open)}
<div class="charts">
${renderWeekChart(weeks)}
${renderInTimeChart(weeks)}
${renderHoursChart(weeks)}
${renderOpened(weeks)}
</div>
<p class="small counted">In twelve weeks, ${weeks.declined} declined and ${weeks.withdrawn} withdrawn. Refunds are counted at the provider, where they are made.</p>`;
  return { page: { title: 'Desk: numbers', nav: 'numbers', main: renderColumnPage('Numbers', about, main) } };
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
