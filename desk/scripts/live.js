/** Updates the clocks and the news on a page that stays open. No row is added, removed or moved. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** As in `due-clock.ts`. */
const SOON_MS = 12 * HOUR_MS;
const TICK_MS = 5000;

const { title } = document;
const { ahead, news: shown } = document.body.dataset;
const pulse = document.querySelector('a.pulse');
const own = pulse?.getAttribute('href');
/** A refusal must stay at the beginning of the title. */
const isRefused = document.querySelector('.refused') !== null;
const status = document.querySelector('#news');

document.addEventListener('news', ({ detail }) => pulse && showNews(detail));
setInterval(tick, TICK_MS);
document.addEventListener('visibilitychange', tick);

function showNews({ numbers, answeredAt, isReached }) {
  const count = numbers.filter((number) => number > Number(shown)).length;
  const news = count > 0 ? `${count} new, press .` : '';
  // A screen reader announces what changes here.
  if (status.textContent !== news) status.textContent = news;
  const counted = isRefused ? `${title} · +${count} new` : `+${count} new · ${title}`;
  document.title = count > 0 ? counted : title;
  // If this page shows no list of cases, the news is on another page.
  pulse.setAttribute('href', count > 0 && !document.querySelector('.list') ? '/queue' : own);
  pulse.classList.toggle('away', !isReached);
  pulse.classList.toggle('has-news', count > 0);
  const said = pulse.firstElementChild;
  if (!isReached)
    said.replaceChildren('Not reached', createWord(` ${answeredAt ? `since ${answeredAt}` : 'yet'}`));
  else if (count > 0) said.replaceChildren(`${count} new`, createWord(', press .'));
  else said.replaceChildren(createWord('Up to date, '), answeredAt ?? '');
}

/** Hidden by the stylesheet if there is no room. */
function createWord(text) {
  const word = document.createElement('span');
  word.className = 'word';
  word.textContent = text;
  return word;
}

function tick() {
  const now = Date.now() + Number(ahead);
  for (const clock of document.querySelectorAll('[data-at]')) {
    const left = Date.parse(clock.dataset.at) - now;
    const words = left < 0 ? clock.dataset.after : clock.dataset.before;
    const text = words.replace('*', formatLength(Math.abs(left)));
    if (clock.textContent !== text) clock.textContent = text;
    if (!('due' in clock.dataset)) continue;
    clock.classList.toggle('late', left < 0);
    clock.classList.toggle('soon', left >= 0 && left <= SOON_MS);
  }
}

/** As in `desk-time.ts`. */
function formatLength(span) {
  if (span < HOUR_MS) return formatUnits(Math.max(1, Math.round(span / MINUTE_MS)), 'minute');
  if (span < 3 * DAY_MS) return formatUnits(Math.round(span / HOUR_MS), 'hour');
  return formatUnits(Math.round(span / DAY_MS), 'day');
}

function formatUnits(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
